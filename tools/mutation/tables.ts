/**
 * Leaves out the tables of the providers: a program loads the rulebook, which a script has made of them, so no test would
 * notice a fault in a table.
 */

import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, 'tables', {
    shouldIgnore: (path) => (isTable(path) ? 'A table, which is joined in the rulebook' : undefined),
  }),
];

/** Whether a path of Babel is a constant of the type `Family` or `readonly Row[]`. */
function isTable(path: object): boolean {
  const { node } = path as { node?: { type: string; id?: { typeAnnotation?: unknown } } };
  if (node?.type !== 'VariableDeclarator') return false;
  return /"name":"(?:Family|Row)"/.test(JSON.stringify(node.id?.typeAnnotation) ?? '');
}
