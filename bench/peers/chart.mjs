/**
 * Bar charts as SVG, without a library. Names are before the bars and figures behind them, so no axis is needed. The
 * colors follow the color scheme of the reader.
 */
const WIDTH = 860;
const MARGIN = 24;
const NAMES = 218;
const FIGURES = 190;
const BAR = 20;
const STEP = 30;
const GROUP = 40;
const LINE = 19;

const STYLE = `
  .page { fill: #ffffff; stroke: #d0d7de }
  text { font-family: system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328 }
  .title { font-size: 18px; font-weight: 600 }
  .what { font-size: 13px; fill: #59636e }
  .group { font-size: 14px; font-weight: 600 }
  .name, .figure { font-size: 13.5px }
  .ours .name, .ours .figure { font-weight: 600 }
  .bar { fill: #8c959f }
  .floor .bar { fill: #c8cfd6 }
  .ours .bar { fill: #2f5bea }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117; stroke: #3d444d }
    text { fill: #f0f6fc }
    .what { fill: #9ea7b3 }
    .bar { fill: #6e7681 }
    .floor .bar { fill: #3d444d }
    .ours .bar { fill: #7c9bff }
  }`;

const escaped = (text) =>
  String(text).replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign]);

/**
 * @param {{ title: string, what: string[], groups: { name?: string, bars: { name: string, value: number, figure:
 *   string, kind?: 'ours' | 'floor' }[] }[], shared?: boolean }} chart `what` has the lines of text below the title.
 *   Bars of a group share a scale. If `shared` is true, all groups share it.
 */
export function barChart({ title, what, groups, shared = false }) {
  const longest = (some) => Math.max(...some.map(({ value }) => value));
  const longestOfAll = longest(groups.flatMap(({ bars }) => bars));
  const room = WIDTH - 2 * MARGIN - NAMES - FIGURES;
  const parts = [];
  let y = MARGIN + 18;
  const text = (className, x, at, words, more = '') =>
    parts.push(`<text class="${className}" x="${x}" y="${at}"${more}>${escaped(words)}</text>`);
  text('title', MARGIN, y, title);
  for (const line of what) {
    y += LINE;
    text('what', MARGIN, y + 3, line);
  }
  y += 22;
  for (const { name, bars } of groups) {
    if (name) {
      y += 16;
      text('group', MARGIN, y, name);
      y += GROUP - 28;
    }
    const most = shared ? longestOfAll : longest(bars);
    for (const bar of bars) {
      const width = Math.max(2, (bar.value / most) * room);
      const middle = y + BAR / 2 + 5;
      parts.push(`<g${bar.kind ? ` class="${bar.kind}"` : ''}>`);
      text('name', MARGIN + NAMES - 10, middle, bar.name, ' text-anchor="end"');
      parts.push(
        `<rect class="bar" x="${MARGIN + NAMES}" y="${y}" width="${width.toFixed(1)}" height="${BAR}" rx="2"/>`,
      );
      text('figure', (MARGIN + NAMES + width + 8).toFixed(1), middle, bar.figure);
      parts.push('</g>');
      y += STEP;
    }
    y += 10;
  }
  const height = Math.ceil(y + MARGIN - 16);
  const told = groups.flatMap(({ name, bars }) =>
    bars.map((bar) => `${name ? `${name}, ` : ''}${bar.name}: ${bar.figure}`),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="desc">${escaped([...what, `${told.join('; ')}.`].join(' '))}</desc>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="page" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="6"/>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}
