import { describe, expect, it } from 'vitest';
import { plannedRetries, sourceOf } from '../../../src/cli/schedule/schedule.ts';
import { scheduleSvg } from '../../../src/cli/schedule/schedule-svg.ts';
import { presets, stepped } from '../../../src/index.ts';

const svgOf = (config: Parameters<typeof sourceOf>[0]): string =>
  scheduleSvg('a & b', plannedRetries(sourceOf(config)));
const count = (text: string, part: string): number => text.split(part).length - 1;

describe('scheduleSvg', () => {
  it('draws a bar for each retry and describes the plot in words', () => {
    const svg = svgOf(presets.patient);
    expect(count(svg, '<rect class="wait"')).toBe(21);
    expect(svg).toContain('role="img" aria-label="a &#38; b: 21 retries, 7h 31m 45s of waiting in all"');
    expect(svg).toContain('<title>retry 21: 30m, 7h 31m 45s in all</title>');
    expect(svg).not.toContain('class="band"');
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^]*<\/svg>\n$/);
  });

  it('shows the range of jitter, with the wait itself as a line in it', () => {
    const svg = svgOf(presets.standard);
    expect(count(svg, '<rect class="band"')).toBe(3);
    expect(count(svg, '<line class="middle"')).toBe(3);
    expect(svg).toContain('the lighter part is where jitter may put the wait');
  });

  it('suits a light page and a dark one', () => {
    expect(svgOf(presets.agent)).toContain('@media (prefers-color-scheme: dark)');
  });

  it('draws bars in proportion to the waits', () => {
    const heights = [...svgOf(presets.agent).matchAll(/<rect class="wait" .*? height="([\d.]+)"/g)].map(([, height]) =>
      Number(height),
    );
    const [first = 0, second = 0, third = 0] = heights;
    expect(second / first).toBeCloseTo(2, 1);
    expect(third / first).toBeCloseTo(4, 1);
  });

  it('omits numbers that do not fit, and draws a schedule without retries', () => {
    const svg = svgOf({ backoff: stepped([1_000], { maxRetries: 400 }) });
    expect(count(svg, 'text-anchor="middle">')).toBeLessThanOrEqual(25);
    expect(svgOf({ maxRetries: 0 })).toContain('no retries');
    expect(svg + svgOf({ maxRetries: 0 })).not.toMatch(/NaN|Infinity|undefined/);
  });
});
