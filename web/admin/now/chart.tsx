import { useSignal } from '@preact/signals';
import { type TranslationKey, t } from '../../core/language.js';
import { Table } from '../../kit/parts.js';
import { ticksUpTo } from '../home/axis.js';
import { type Format, minuteClock } from './format.js';
import { MINUTE_MS } from './numbers.js';

export interface Point {
  /** The start of the minute. */
  readonly at: number;
  readonly value: number;
}

export interface ChartProps {
  readonly title: TranslationKey;
  /** The current value as text. */
  readonly figure: string;
  /** What the values are, and since when they are known. */
  readonly note: string;
  readonly points: readonly Point[];
  readonly format: Format;
  /** `line` for levels, `bars` for counts per minute. */
  readonly kind: 'line' | 'bars';
}

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [480, 200, 62, 18, 12, 26];
/** Lengths of the time axis in minutes. Each has four steps of whole minutes. */
const SPANS = [8, 20, 40, 60] as const;

interface Scale {
  /** The times at both edges. */
  readonly start: number;
  readonly end: number;
  readonly ticks: readonly number[];
}

/** The shortest axis that has all points. */
function scaleOf(points: readonly Point[]): Scale {
  const end = (points.at(-1)?.at ?? 0) + MINUTE_MS;
  const age = (end - (points[0]?.at ?? 0)) / MINUTE_MS;
  const span = SPANS.find((minutes) => minutes >= age) ?? SPANS[SPANS.length - 1] ?? 60;
  return { start: end - span * MINUTE_MS, end, ticks: ticksUpTo(Math.max(0, ...points.map(({ value }) => value))) };
}

const xOf = (at: number, { start, end }: Scale): number =>
  Math.round((LEFT + ((at - start) / (end - start)) * (WIDTH - LEFT - RIGHT)) * 10) / 10;
const yOf = (value: number, { ticks }: Scale): number =>
  Math.round((HEIGHT - BOTTOM - (value / (ticks.at(-1) ?? 1)) * (HEIGHT - TOP - BOTTOM)) * 10) / 10;

function Axes({ scale, format }: { readonly scale: Scale; readonly format: Format }) {
  const step = (scale.end - scale.start) / 4;
  return (
    <>
      {scale.ticks.map((tick) => (
        <g key={tick}>
          <path class="grid" d={`M${LEFT} ${yOf(tick, scale)}H${WIDTH - RIGHT}`} />
          <text x={LEFT - 8} y={yOf(tick, scale) + 4} text-anchor="end">
            {format(tick)}
          </text>
        </g>
      ))}
      {[0, 1, 2, 3, 4].map((place) => (
        <text
          key={place}
          class={place % 2 === 1 ? 'between' : undefined}
          x={xOf(scale.start + place * step, scale)}
          y={HEIGHT - 6}
          text-anchor={place === 4 ? 'end' : place === 0 ? 'start' : 'middle'}
        >
          {minuteClock(scale.start + place * step)}
        </text>
      ))}
    </>
  );
}

interface Drawn {
  readonly points: readonly Point[];
  readonly scale: Scale;
}

/** The line is interrupted where minutes are missing, because the page was hidden or closed. */
function Line({ points, scale }: Drawn) {
  const places = points.map(({ at, value }, index) => {
    const isNext = at - (points[index - 1]?.at ?? 0) === MINUTE_MS;
    // A single point is drawn as a line of length 0, which appears as a dot.
    return `${isNext ? 'L' : 'M'}${xOf(at + MINUTE_MS / 2, scale)} ${yOf(value, scale)}${isNext ? '' : 'h0'}`;
  });
  return <path class="line" d={places.join('')} />;
}

const Bars = ({ points, scale }: Drawn) => (
  <>
    {points.map(({ at, value }) => {
      const [x, y] = [xOf(at, scale), yOf(value, scale)];
      const width = Math.max(2, xOf(at + MINUTE_MS, scale) - x - 2);
      return <rect key={at} class="bar" x={x + 1} y={y} width={width} height={HEIGHT - BOTTOM - y} />;
    })}
  </>
);

/** Pointing at a minute shows its value. */
const Hints = ({ points, scale, format }: Drawn & { readonly format: Format }) => (
  <>
    {points.map(({ at, value }) => (
      <rect
        key={at}
        class="hint"
        x={xOf(at, scale)}
        y={TOP}
        width={xOf(at + MINUTE_MS, scale) - xOf(at, scale)}
        height={HEIGHT - TOP - BOTTOM}
      >
        <title>{`${minuteClock(at)}: ${format(value)}`}</title>
      </rect>
    ))}
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
          columns={{
            [t('adminNow.time')]: ({ at }) => minuteClock(at),
            [t('adminNow.value')]: ({ value }) => format(value),
          }}
        />
      )}
    </details>
  );
}

/** A metric by minute: current value, chart with axes, and table. */
export function Chart({ title, figure, note, points, format, kind }: ChartProps) {
  const values = points.map(({ value }) => value);
  const range = t('adminNow.range', {
    lowest: format(values.length > 0 ? Math.min(...values) : 0),
    highest: format(Math.max(0, ...values)),
  });
  const scale = scaleOf(points);
  return (
    <article class="chart" aria-label={t(title)}>
      <h2>{t(title)}</h2>
      <p>
        <strong class="figure">{figure}</strong> <span class="small quiet">{note}</span>
      </p>
      <svg role="img" aria-label={`${t(title)}: ${range}`} viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
        <Axes scale={scale} format={format} />
        {points.length > 0 && (kind === 'line' ? <Line {...{ points, scale }} /> : <Bars {...{ points, scale }} />)}
        <Hints {...{ points, scale, format }} />
      </svg>
      <p class="small quiet">{range}</p>
      <Values title={title} points={points} format={format} />
    </article>
  );
}
