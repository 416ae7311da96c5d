/**
 * The table of clients and troubles as a picture: one row a client, the best first, and ours apart; one column a trouble;
 * one number a cell.
 */

export type Theme = 'light' | 'dark';

/** One row of the table. */
export interface Row {
  readonly name: string;
  readonly isOurs: boolean;
  readonly cells: readonly { readonly share: number; readonly isHarmful: boolean }[];
}

const COLOURS = {
  light: { ink: '#1f2328', soft: '#59636e', line: '#d1d9e0', paper: '#ffffff', harm: '#b3261e' },
  dark: { ink: '#f0f6fc', soft: '#9198a1', line: '#3d444d', paper: '#0d1117', harm: '#ff8a80' },
} as const;

const LEFT = 254;
const CELL = { width: 54, height: 26 };
const TOP = 162;
/** Above our rows. */
const GAP = 30;

/** Green at 100, through yellow, to red at 0; as pale or as dark as the theme needs. */
function fillOf(share: number, theme: Theme): string {
  const hue = 4 + Math.round(136 * share ** 1.4);
  return theme === 'light' ? `hsl(${hue} 62% 82%)` : `hsl(${hue} 48% 24%)`;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const sumOf = ({ cells }: Row): number => cells.reduce((sum, { share }) => sum + share, 0);

/** `source` says how it was measured, in one line. */
export function pictureOf(rows: readonly Row[], columns: readonly string[], theme: Theme, source: string): string {
  const { ink, soft, line, paper, harm } = COLOURS[theme];
  const others = rows.filter(({ isOurs }) => !isOurs).toSorted((a, b) => sumOf(b) - sumOf(a));
  const ours = rows.filter(({ isOurs }) => isOurs);
  const oursTop = TOP + others.length * CELL.height + GAP;
  const bottom = oursTop + ours.length * CELL.height;
  const width = LEFT + columns.length * CELL.width + 12;
  const height = bottom + 54;
  const text = (x: number, y: number, content: string, rest = ''): string =>
    `<text x="${x}" y="${y}" fill="${ink}" ${rest}>${escaped(content)}</text>`;
  const remark = (y: number, content: string, x = 12): string =>
    `<text x="${x}" y="${y}" fill="${soft}">${escaped(content)}</text>`;
  const heads = columns.flatMap((name, index) => {
    const x = LEFT + (index + 0.5) * CELL.width;
    return wrapped(name).map((part, number, parts) =>
      text(x, TOP - 10 - (parts.length - 1 - number) * 13, part, 'text-anchor="middle" font-size="9.5"'),
    );
  });
  const corner = (x: number, y: number): string => `<path d="M${x} ${y}h10v10z" fill="${harm}"/>`;
  const bodyOf = (list: readonly Row[], top: number): readonly string[] =>
    list.flatMap(({ name, isOurs, cells }, number) => {
      const y = top + number * CELL.height;
      return [
        text(12, y + 17, name, isOurs ? 'font-weight="600"' : ''),
        ...cells.flatMap(({ share, isHarmful }, index) => {
          const x = LEFT + index * CELL.width;
          return [
            `<rect x="${x + 1}" y="${y + 1}" width="${CELL.width - 2}" height="${CELL.height - 2}" rx="3" fill="${fillOf(share, theme)}"/>`,
            text(x + CELL.width / 2, y + 17, String(Math.round(share * 100)), 'text-anchor="middle"'),
            ...(isHarmful ? [corner(x + CELL.width - 13, y + 2)] : []),
          ];
        }),
      ];
    });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="${paper}"/>`,
    text(
      12,
      28,
      'A provider’s bad day: how many of 100 calls to an LLM API end well?',
      'font-size="17" font-weight="600"',
    ),
    remark(
      48,
      'A call ends well with the whole answer in time. If a stream breaks, a clear error is good too, because a person has read its beginning.',
    ),
    remark(
      64,
      'A used-up quota and a prompt that is too long can have no answer: such a call ends well with an error after one request, and after two where the time of a gateway is up.',
    ),
    corner(12, 72),
    remark(
      81,
      'Harm was done: retried before Retry-After was over, repeated what cannot succeed, passed a cut answer off as whole, or ran a tool twice.',
      28,
    ),
    ...heads,
    ...bodyOf(others, TOP),
    `<path d="M12 ${oursTop - GAP / 2 - 6}h${width - 24}" stroke="${line}"/>`,
    text(12, oursTop - 6, 'With this library', `font-size="11" font-style="italic"`),
    ...bodyOf(ours, oursTop),
    remark(bottom + 22, source),
    remark(bottom + 38, 'Each client is set up as its documentation recommends for failures, with ten retries.'),
    '</svg>',
    '',
  ].join('\n');
}

/** Heads in lines of about nine letters. */
function wrapped(name: string): readonly string[] {
  return name.split(' ').reduce<readonly string[]>((lines, word) => {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length > 8) return [...lines, word];
    return [...lines.slice(0, -1), `${last} ${word}`];
  }, []);
}
