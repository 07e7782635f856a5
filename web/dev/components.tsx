import { useSignal } from '@preact/signals';
import { useAction } from '../core/action.js';
import { LANGUAGES, language } from '../core/language.js';
import { applyTheme, type Theme } from '../core/theme.js';
import { Button, LinkButton } from '../kit/button.js';
import { ConfirmButton } from '../kit/confirm-button.js';
import { Dialog } from '../kit/dialog.js';
import { Choice, CodeField, Field, PasswordField, Select, setterOf, TextArea } from '../kit/field.js';
import { Frame } from '../kit/frame.js';
import { ICON_NAMES, Icon } from '../kit/icon.js';
import { Menu } from '../kit/menu.js';
import { FailureNotice, Notice } from '../kit/notice.js';
import { Table, Tabs } from '../kit/parts.js';
import { Badge } from '../kit/portrait.js';
import { SecretDialog } from '../kit/secret.js';
import { CopyButton, Empty, QrCode, Skeleton, Spinner } from '../kit/shown.js';
import { toast } from '../kit/toast.js';
import { MoreFields, MoreSurfaces } from './more.js';

const ROWS = [
  { name: 'Laptop', place: 'Wien', at: '2026-01-02' },
  { name: 'Phone', place: 'São Paulo', at: '2026-02-03' },
];

function Buttons() {
  const slow = useAction(() => new Promise((resolve) => setTimeout(resolve, 2000)));
  return (
    <section class="stack" aria-labelledby="buttons">
      <h2 id="buttons">Buttons</h2>
      <div class="row">
        <Button onClick={() => toast('Done')}>Main</Button>
        <Button kind="plain" onClick={() => toast('Done')}>
          Plain
        </Button>
        <Button kind="bare" onClick={() => toast('Done')}>
          Bare
        </Button>
        <Button kind="danger" onClick={() => toast('Done')}>
          Danger
        </Button>
        <Button disabled>Off</Button>
        <Button action={slow}>Takes two seconds</Button>
        <LinkButton kind="plain" href="/login">
          A link
        </LinkButton>
      </div>
    </section>
  );
}

function Fields() {
  const text = useSignal('');
  const password = useSignal('');
  const code = useSignal('');
  const isChosen = useSignal(false);
  const theme = useSignal('system');
  return (
    <section class="stack" aria-labelledby="fields">
      <h2 id="fields">Fields</h2>
      <Field name="text" label="A line" hint="With a hint" value={text.value} onValue={setterOf(text)} />
      <Field name="wrong" label="A refused line" wrong="It is too short." value={text.value} onValue={setterOf(text)} />
      <PasswordField name="password" label="A password" value={password.value} onValue={setterOf(password)} />
      <CodeField name="code" label="A code" value={code.value} onValue={setterOf(code)} maxLength={8} />
      <TextArea name="area" label="Several lines" value={text.value} onValue={setterOf(text)} />
      <Select
        name="theme"
        label="Scheme"
        value={theme.value}
        options={{ system: 'As the device', light: 'Light', dark: 'Dark' }}
        onValue={(value) => {
          theme.value = value;
          applyTheme(value as Theme);
        }}
      />
      <Choice name="choice" label="A choice" checked={isChosen.value} onChecked={setterOf(isChosen)} />
    </section>
  );
}

function Surfaces() {
  const tab = useSignal<'list' | 'table' | 'empty'>('list');
  const isOpen = useSignal(false);
  const secrets = useSignal<Record<string, string> | null>(null);
  const removing = useAction(async () => toast('Removed'));
  const failing = useAction(async () => {
    throw new Error('unknown');
  });
  return (
    <section class="stack" aria-labelledby="surfaces">
      <h2 id="surfaces">Surfaces</h2>
      <Notice>Something to know.</Notice>
      <Notice kind="good">Something went well.</Notice>
      <Notice kind="warn">Something to mind.</Notice>
      <Notice kind="bad">Something went wrong.</Notice>
      <FailureNotice of={failing} />
      <p class="row">
        <Badge>A fact</Badge>
        <Badge kind="good">Verified</Badge>
        <Badge kind="warn">Not verified</Badge>
        <Badge kind="bad">Suspended</Badge>
      </p>
      <ul class="row" aria-label="Icons">
        {ICON_NAMES.map((name) => (
          <li key={name} class="row">
            <Icon name={name} /> {name}
          </li>
        ))}
      </ul>
      <Tabs
        label="Views"
        tabs={{ list: 'List', table: 'Table', empty: 'Empty' }}
        current={tab.value}
        onChange={setterOf(tab)}
      >
        {tab.value === 'list' && (
          <ul class="list">
            {ROWS.map(({ name, place }) => (
              <li key={name}>
                <span>{name}</span>
                <span class="quiet">{place}</span>
              </li>
            ))}
          </ul>
        )}
        {tab.value === 'table' && (
          <Table
            caption="Devices"
            rows={ROWS}
            keyOf={({ name }) => name}
            columns={{ Device: ({ name }) => name, Place: ({ place }) => place, 'Last use': ({ at }) => at }}
          />
        )}
        {tab.value === 'empty' && <Empty>Nothing yet.</Empty>}
      </Tabs>
      <div class="row">
        <Menu
          label="Menu"
          groups={Object.entries({ Edit: ['Rename', 'Move'], Delete: ['Remove'] }).map(([label, names]) => ({
            label,
            items: names.map((name) => ({ label: name, onChoose: () => toast(name) })),
          }))}
        />
        <Button kind="plain" onClick={() => setterOf(isOpen)(true)}>
          Open a dialog
        </Button>
        <CopyButton text="copied text" />
        <ConfirmButton label="Remove" title="Remove the laptop?" action={removing}>
          <p>It is signed out at once.</p>
        </ConfirmButton>
        <Button kind="plain" onClick={() => setterOf(secrets)({ Token: 'gh_0123456789abcdef' })}>
          Show a secret
        </Button>
      </div>
      <SecretDialog title="The new token" secrets={secrets.value} onKept={() => setterOf(secrets)(null)} />
      <Dialog title="A dialog" isOpen={isOpen.value} onCancel={() => setterOf(isOpen)(false)}>
        <p>Nothing else can be done before it is answered.</p>
        <div class="actions">
          <Button kind="plain" onClick={() => setterOf(isOpen)(false)}>
            Cancel
          </Button>
          <Button onClick={() => setterOf(isOpen)(false)}>Confirm</Button>
        </div>
      </Dialog>
      <Spinner label="Something is on its way" />
      <Skeleton />
      <output class="shown-code">ABCDEF-GHJKMN</output>
      <QrCode text="https://example.com/handoff#code=ABCDEFGHJKMN" label="QR code of an address" />
    </section>
  );
}

/** A page with every UI component, for development. English only. */
export default function Components() {
  return (
    <Frame title="Components" isWide below={<p>Speaks {LANGUAGES[language.value]}</p>}>
      <Buttons />
      <Fields />
      <MoreFields />
      <Surfaces />
      <MoreSurfaces />
    </Frame>
  );
}
