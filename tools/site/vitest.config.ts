import { defineConfig } from 'vitest/config';

// A cache would be that of all tools, and be emptied here, since this lockfile is another one, while they are tested.
export default defineConfig({ test: { include: ['test/**/*.test.ts'], fsModuleCache: false } });
