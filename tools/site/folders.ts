/** The folders of the build; git ignores dist. */

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT: string = fileURLToPath(new URL('../..', import.meta.url));
/** The folder of VitePress's own configuration. */
export const HERE: string = fileURLToPath(new URL('.', import.meta.url));
export const DIST: string = join(HERE, 'dist');
/** The pages as VitePress reads them. */
export const PAGES_FOLDER: string = join(DIST, 'pages');
export const API_SIDEBARS: string = join(DIST, 'api-sidebars.json');
export const OUTPUT: string = join(DIST, 'site');
