/** The table of clients and troubles as a picture: one row a client, one column a trouble, one number a cell. */

import type { Row } from './page.ts';

export type Theme = 'light' | 'dark';

const COLOURS = {
  light: { ink: '#1f2328', soft: '#59636e', line: '#d1d9e0', paper: '#ffffff', harm: '#b3261e' },
  dark: { ink: '#f0f6fc', soft: '#9198a1', line: '#3d444d', paper: '#0d1117', harm: '#ff8a80' },
} as const;

const LEFT = 250;
const CELL = { width: 74, height: 26 };
const TOP = 112;

/** Green at 100, through yellow, to red at 0; as pale or as dark as the theme needs. */
function fillOf(share: number, theme: Theme): string {
  const hue = 4 + Math.round(136 * share ** 1.4);
  return theme === 'light' ? `hsl(${hue} 62% 82%)` : `hsl(${hue} 48% 24%)`;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

export function pictureOf(rows: readonly Row[], columns: readonly string[], theme: Theme): string {
  const { ink, soft, line, paper, harm } = COLOURS[theme];
  const width = LEFT + columns.length * CELL.width + 12;
  const height = TOP + rows.length * CELL.height + 34;
  const text = (x: number, y: number, content: string, rest = ''): string =>
    `<text x="${x}" y="${y}" fill="${ink}" ${rest}>${escaped(content)}</text>`;
  const heads = columns.flatMap((name, index) => {
    const x = LEFT + (index + 0.5) * CELL.width;
    return wrapped(name).map((part, number, parts) =>
      text(x, TOP - 10 - (parts.length - 1 - number) * 14, part, 'text-anchor="middle" font-size="11"'),
    );
  });
  const body = rows.flatMap(({ name, isOurs, cells }, number) => {
    const y = TOP + number * CELL.height;
    return [
      text(12, y + 17, name, isOurs ? 'font-weight="600"' : ''),
      ...cells.flatMap(({ share, isHarmful }, index) => {
        const x = LEFT + index * CELL.width;
        const corner = x + CELL.width - 2;
        return [
          `<rect x="${x + 1}" y="${y + 1}" width="${CELL.width - 2}" height="${CELL.height - 2}" rx="3" fill="${fillOf(share, theme)}"/>`,
          text(x + CELL.width / 2, y + 17, String(Math.round(share * 100)), 'text-anchor="middle"'),
          ...(isHarmful ? [`<path d="M${corner - 11} ${y + 2}h10v10z" fill="${harm}"/>`] : []),
        ];
      }),
    ];
  });
  const y = TOP + rows.length * CELL.height + 22;
  const legend =
    'beat the server’s hint, repeated what can never succeed, passed a cut answer off as whole, or ran a tool twice';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="${paper}"/>`,
    text(12, 28, 'A provider’s bad day: how many of 100 calls end well?', 'font-size="17" font-weight="600"'),
    `<text x="12" y="48" fill="${soft}">Each client as its documentation recommends for failures. Well: the whole answer in time; for broken streams also an error, for the last two columns an error after one request.</text>`,
    ...heads,
    ...body,
    `<path d="M12 ${y - 9}h10v10z" fill="${harm}"/>`,
    `<text x="28" y="${y}" fill="${soft}">did harm: ${legend}</text>`,
    `<path d="M0 ${height - 0.5}h${width}" stroke="${line}"/>`,
    '</svg>',
    '',
  ].join('\n');
}

/** Heads of two or three words stand in two lines. */
function wrapped(name: string): readonly string[] {
  const words = name.split(' ');
  if (words.length === 1) return [name];
  const half = Math.ceil(words.length / 2);
  return [words.slice(0, half).join(' '), words.slice(half).join(' ')];
}
