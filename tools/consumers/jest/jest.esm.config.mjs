// The recipe of docs/installing.md for tests that are ES modules: node --experimental-vm-modules, and no transform.
export default { testMatch: ['**/*.test.mjs'], transform: {} };
