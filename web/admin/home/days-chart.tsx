import { useSignal } from '@preact/signals';
import { t } from '../../core/language.js';
import { Table } from '../../kit/parts.js';
import { whole } from '../now/format.js';
import { ticksUpTo } from './axis.js';
import { type Day, dayName, failuresOf } from './statistics.js';

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [720, 200, 52, 12, 16, 26];

const xOf = (index: number, count: number): number => LEFT + (index * (WIDTH - LEFT - RIGHT)) / Math.max(1, count - 1);
const yOf = (value: number, highest: number): number => HEIGHT - BOTTOM - (value * (HEIGHT - TOP - BOTTOM)) / highest;

const lineOf = (values: readonly number[], highest: number): string =>
  `M${values.map((value, index) => `${xOf(index, values.length).toFixed(1)} ${yOf(value, highest).toFixed(1)}`).join('L')}`;

const textOf = ({ day, sign_ins, sign_ups }: Day): string =>
  `${dayName(day)}: ${t('adminHome.signIns')} ${whole(sign_ins)}, ${t('adminHome.signUps')} ${whole(sign_ups)}`;

function Axes({ days, ticks }: { readonly days: readonly Day[]; readonly ticks: readonly number[] }) {
  const highest = ticks.at(-1) ?? 1;
  const named = [0, Math.floor((days.length - 1) / 2), days.length - 1];
  return (
    <>
      {ticks.map((tick) => (
        <g key={tick}>
          <path class="grid" d={`M${LEFT} ${yOf(tick, highest)}H${WIDTH - RIGHT}`} />
          <text x={LEFT - 8} y={yOf(tick, highest) + 4} text-anchor="end">
            {whole(tick)}
          </text>
        </g>
      ))}
      {named.map((index, place) => (
        <text
          key={index}
          x={xOf(index, days.length)}
          y={HEIGHT - 6}
          text-anchor={(['start', 'middle', 'end'] as const)[place]}
        >
          {dayName(days[index]?.day ?? '')}
        </text>
      ))}
    </>
  );
}

/** The values as a table. It is rendered only while open. */
function Values({ days }: { readonly days: readonly Day[] }) {
  const isOpen = useSignal(false);
  return (
    <details
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary class="small">{t('adminNow.asTable')}</summary>
      {isOpen.value && (
        <Table
          caption={t('adminNow.asTable')}
          rows={days.toReversed()}
          keyOf={({ day }) => day}
          columns={{
            [t('adminHome.day')]: ({ day }) => dayName(day),
            [t('adminHome.accounts')]: ({ accounts }) => whole(accounts),
            [t('adminHome.signUps')]: ({ sign_ups }) => whole(sign_ups),
            [t('adminHome.signIns')]: ({ sign_ins }) => whole(sign_ins),
            [t('adminHome.failures')]: (day) => whole(failuresOf(day)),
            [t('adminHome.deletions')]: ({ deletions }) => whole(deletions),
          }}
        />
      )}
    </details>
  );
}

/** Sign-ins and sign-ups of each day as two lines. Pointing at a day shows its numbers. */
export function DaysChart({ days }: { readonly days: readonly Day[] }) {
  const [signIns, signUps] = [days.map(({ sign_ins }) => sign_ins), days.map(({ sign_ups }) => sign_ups)];
  const ticks = ticksUpTo(Math.max(...signIns, ...signUps));
  const highest = ticks.at(-1) ?? 1;
  const title = t('adminHome.days', { count: days.length });
  const width = (WIDTH - LEFT - RIGHT) / Math.max(1, days.length - 1);
  return (
    <section class="section days" aria-labelledby="days">
      <h2 id="days">{title}</h2>
      <ul class="legend small">
        <li class="sign-ins">{t('adminHome.signIns')}</li>
        <li class="sign-ups">{t('adminHome.signUps')}</li>
      </ul>
      <svg role="img" aria-label={title} viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
        <Axes days={days} ticks={ticks} />
        <path class="sign-ups" d={lineOf(signUps, highest)} />
        <path class="sign-ins" d={lineOf(signIns, highest)} />
        {days.map((day, index) => (
          <rect
            key={day.day}
            x={xOf(index, days.length) - width / 2}
            y={TOP}
            width={width}
            height={HEIGHT - TOP - BOTTOM}
          >
            <title>{textOf(day)}</title>
          </rect>
        ))}
      </svg>
      <Values days={days} />
    </section>
  );
}
