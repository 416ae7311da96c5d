// The recipe of docs/installing.md for tests in CommonJS: Jest itself cannot require an ES module, so Babel translates
// this package and what it depends on.
module.exports = {
  testMatch: ['**/*.test.js'],
  transform: { '\\.js$': ['babel-jest', { plugins: ['@babel/plugin-transform-modules-commonjs'] }] },
  transformIgnorePatterns: ['/node_modules/(?!(?:retry-transport|p-retry|is-network-error)/)'],
};
