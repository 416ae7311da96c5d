import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly files?: readonly string[];
}

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly inBundle?: boolean;
  readonly hasInstallScript?: boolean;
}

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const manifest: Manifest = JSON.parse(read('package.json'));
const { packages }: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(read('package-lock.json'));
/** What npm runs on the machine that installs a package. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall'];

describe('an installation of the package', () => {
  test('has two packages, each at one version', () => {
    expect(Object.keys(manifest.dependencies ?? {})).toEqual(['is-network-error', 'p-retry']);
    for (const version of Object.values(manifest.dependencies ?? {})) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  test('has no further dependencies', () => {
    const names = Object.entries(packages)
      .filter(([path, { dev, link }]) => path.startsWith('node_modules/') && dev !== true && link !== true)
      .map(([path]) => path.slice('node_modules/'.length));
    expect(names.toSorted()).toEqual(Object.keys(manifest.dependencies ?? {}));
  });

  test('runs no scripts', () => {
    for (const name of Object.keys(manifest.dependencies ?? {})) {
      expect(packages[`node_modules/${name}`]).toMatchObject({ integrity: expect.stringMatching(/^sha512-/) });
      expect(packages[`node_modules/${name}`]?.hasInstallScript).toBeUndefined();
      const { scripts = {} }: Manifest = JSON.parse(read(`node_modules/${name}/package.json`));
      expect(Object.keys(scripts).filter((script) => INSTALL_SCRIPTS.includes(script))).toEqual([]);
    }
    expect(Object.keys(manifest.scripts ?? {}).filter((script) => INSTALL_SCRIPTS.includes(script))).toEqual([]);
    // npm builds a package with this file by itself.
    expect(existsSync(new URL('../binding.gyp', import.meta.url))).toBe(false);
  });

  test('requires no peer: every peer is optional', () => {
    const required = Object.keys(manifest.peerDependencies ?? {}).filter(
      (name) => manifest.peerDependenciesMeta?.[name]?.optional !== true,
    );
    expect(required).toEqual([]);
  });
});

describe('before the first release', () => {
  // The first person who registers the name would get the keys of those who run it.
  test('no page runs the name of the package from the registry', () => {
    const pages = globSync(['*.md', '{docs,mocks,bench,examples}/**/*.md'], {
      cwd: new URL('..', import.meta.url).pathname,
    });
    expect(pages).toContain('README.md');
    expect(pages.filter((page) => /npx (?:-y |--yes )?retry-transport/.test(read(page)))).toEqual([]);
  });
});

describe('the published package', () => {
  const workflow = read('.github/workflows/publish.yml');
  const job = (name: string): string =>
    new RegExp(`\\n  ${name}:\\n([\\s\\S]*?)(?=\\n  \\w+:\\n|$)`).exec(workflow)?.[1] ?? '';

  test('is built by a job that runs neither install scripts nor the tools', () => {
    expect(job('package')).toContain('npm ci --ignore-scripts');
    expect(job('package')).toContain('npm run pack:twice');
    expect(job('package')).not.toMatch(/\.ci\/run|tools\/|id-token/);
  });

  test('is published by a job that runs no code of the repository', () => {
    expect(job('publish')).toContain('id-token: write');
    expect(job('publish')).not.toMatch(/checkout|npm (?:ci|run|install)/);
  });
});

describe('the tools for development', () => {
  const locked = Object.entries(packages).filter(
    ([path, { link, inBundle }]) => path.includes('node_modules/') && link !== true && inBundle !== true,
  );

  test('are those of the lockfile, to the byte', () => {
    expect(locked.length).toBeGreaterThan(100);
    expect(locked.filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-')).map(([path]) => path)).toEqual(
      [],
    );
  });

  test('are pinned to exact versions', () => {
    const loose = Object.entries(manifest.devDependencies ?? {}).filter(([, version]) =>
      /^[~^*<>]|latest/.test(version),
    );
    expect(loose).toEqual([]);
  });

  test('run one install script, which was reviewed', () => {
    const scripts = locked.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([path]) => path);
    expect(scripts).toEqual(['node_modules/esbuild']);
  });
});
