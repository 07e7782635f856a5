import { useSignal } from '@preact/signals';
import { useAction } from '../core/action.js';
import { Ago } from '../kit/ago.js';
import { Button } from '../kit/button.js';
import { DecisionButton } from '../kit/decision-button.js';
import { Facts, requestingDeviceFacts } from '../kit/facts.js';
import { setterOf, UsernameForPassword } from '../kit/field.js';
import { Loading, useLoaded } from '../kit/loaded.js';
import { NewPasswordField } from '../kit/new-password.js';
import { Effects } from '../kit/notice.js';
import { ExpandableForm, InnerLink, Opened, UnlessMissing } from '../kit/opened.js';
import { type Picture, PictureField } from '../kit/picture.js';
import { Portrait } from '../kit/portrait.js';
import { RenameButton } from '../kit/rename-button.js';
import { CodeBlock, Success } from '../kit/shown.js';
import { SecretsDialogHost, secretsToShow } from '../kit/shown-once.js';
import { toast } from '../kit/toast.js';

const DEVICE = {
  client_info: { browser: 'Firefox', os: 'Linux', device: 'desktop' },
  masked_ip: '192.0.2.0/24',
  at: '2026-01-02T03:04:05.000Z',
};

/** Components of forms. */
export function MoreFields() {
  const password = useSignal('');
  const picture = useSignal<Picture>(undefined);
  const save = useAction(async () => toast('Saved'));
  return (
    <section class="stack" aria-labelledby="forms">
      <h2 id="forms">Forms</h2>
      <form class="stack" onSubmit={save.run}>
        <UsernameForPassword value="ada@example.com" />
        <NewPasswordField
          label="A new password"
          name="new_password"
          action={save}
          value={password.value}
          onValue={setterOf(password)}
        />
      </form>
      <PictureField
        name="picture"
        label="An image"
        hint="Up to 2 MB"
        removeLabel="Remove image"
        look="portrait"
        chosen={picture}
        present={null}
      />
      <DecisionButton onClick={() => toast('Decided')}>Decide after a second</DecisionButton>
      <ExpandableForm label="Open a form">
        {(fold) => (
          <Button kind="plain" onClick={fold}>
            Close the form
          </Button>
        )}
      </ExpandableForm>
    </section>
  );
}

/** Components of views. */
export function MoreSurfaces() {
  const loaded = useLoaded(async () => ['One', 'Two']);
  return (
    <section class="stack" aria-labelledby="views">
      <h2 id="views">Views</h2>
      <Success>Your email is verified.</Success>
      <Effects of={['lockdown.sessions', 'lockdown.password']} />
      <Facts facts={requestingDeviceFacts(DEVICE)} />
      <p class="row">
        <Portrait id="1" name="Ada Lovelace" picture={null} />
        <span>
          Ada Lovelace, <Ago time="2026-01-02T03:04:05.000Z" />
        </span>
      </p>
      <UnlessMissing again={loaded.again} code="NOT_FOUND">
        <Loading of={loaded}>{(names) => <p>{names.join(', ')}</p>}</Loading>
      </UnlessMissing>
      <Opened title="An item">
        {(id) => <InnerLink href={id ? '/dev/components' : '/dev/components?id=1'}>{id ? 'All' : 'Open'}</InnerLink>}
      </Opened>
      <CodeBlock label="Request" code={'const answer = await fetch(url);\nconst user = await answer.json();'} />
      <div>
        <Button
          kind="plain"
          onClick={() => {
            secretsToShow.value = { title: 'Another token', secrets: { Token: 'gh_0123456789abcdef' } };
          }}
        >
          Show another secret
        </Button>
      </div>
      <div>
        <RenameButton
          name="Backup"
          words={{ label: 'Rename', title: 'Rename token', field: 'Name', submit: 'Save', done: 'Saved' }}
          rename={async () => {}}
          onRenamed={async () => {}}
        />
      </div>
      <SecretsDialogHost />
    </section>
  );
}
