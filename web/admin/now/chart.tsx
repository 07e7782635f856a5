import { useSignal } from '@preact/signals';
import { type TranslationKey, t } from '../../core/language.js';
import { Table } from '../../kit/parts.js';
import { ago, clock, type Format } from './format.js';
import { WINDOW_MS } from './numbers.js';

export interface Point {
  readonly at: number;
  readonly value: number;
}

export interface ChartProps {
  readonly title: TranslationKey;
  /** The current value as text. */
  readonly figure: string;
  readonly aside?: string;
  readonly points: readonly Point[];
  readonly format: Format;
  /** `line` for levels, `bars` for counts per interval. */
  readonly kind: 'line' | 'bars';
}

const [WIDTH, HEIGHT, BAR] = [300, 60, 4];

interface Drawn {
  readonly points: readonly Point[];
  readonly highest: number;
  /** The time at the right edge. */
  readonly end: number;
}

const xOf = ({ at }: Point, end: number): number => Math.round((1 - (end - at) / WINDOW_MS) * WIDTH * 10) / 10;
const yOf = ({ value }: Point, highest: number): number => Math.round((1 - value / highest) * HEIGHT * 10) / 10;

function Line({ points, highest, end }: Drawn) {
  const places = points.map((point) => `${xOf(point, end)} ${yOf(point, highest)}`);
  // A single point is drawn as a line of length 0, which appears as a dot.
  return <path class="line" d={`M${places.join('L')}h0`} vector-effect="non-scaling-stroke" />;
}

const Bars = ({ points, highest, end }: Drawn) => (
  <>
    {points.map((point) => {
      const y = yOf(point, highest);
      return <rect key={point.at} class="bar" x={xOf(point, end) - BAR} y={y} width={BAR} height={HEIGHT - y} />;
    })}
  </>
);

type ValuesProps = Pick<ChartProps, 'title' | 'points' | 'format'>;

/** The values as a table. It is rendered only while open. */
function Values({ title, points, format }: ValuesProps) {
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
          caption={t(title)}
          rows={points.toReversed()}
          keyOf={({ at }) => String(at)}
          columns={{ [t('adminNow.time')]: ({ at }) => clock(at), [t('adminNow.value')]: ({ value }) => format(value) }}
        />
      )}
    </details>
  );
}

/** A metric over the last minutes: current value, chart and table. */
export function Chart({ title, figure, aside: beside, points, format, kind }: ChartProps) {
  const values = points.map(({ value }) => value);
  const highest = Math.max(0, ...values);
  const range = t('adminNow.range', {
    lowest: format(values.length > 0 ? Math.min(...values) : 0),
    highest: format(highest),
  });
  const drawn = { points, highest: highest || 1, end: points.at(-1)?.at ?? 0 };
  return (
    <article class="chart" aria-label={t(title)}>
      <h2>{t(title)}</h2>
      <p>
        <strong class="figure">{figure}</strong> {beside && <span class="small quiet">{beside}</span>}
      </p>
      <svg
        role="img"
        aria-label={`${t(title)}: ${range}`}
        viewBox={`0 -3 ${WIDTH} ${HEIGHT + 6}`}
        preserveAspectRatio="none"
      >
        <path class="ground" d={`M0 ${HEIGHT}H${WIDTH}`} vector-effect="non-scaling-stroke" />
        {points.length > 0 && (kind === 'line' ? <Line {...drawn} /> : <Bars {...drawn} />)}
      </svg>
      <p class="axis small quiet" aria-hidden="true">
        <bdi>{ago(WINDOW_MS / 1000)}</bdi>
        <bdi>{ago(0)}</bdi>
      </p>
      <p class="small quiet">{range}</p>
      <Values title={title} points={points} format={format} />
    </article>
  );
}
