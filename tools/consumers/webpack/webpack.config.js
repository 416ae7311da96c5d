export default {
  mode: 'production',
  target: 'web',
  entry: './program.js',
  experiments: { outputModule: true },
  output: { filename: 'main.mjs', module: true, path: `${import.meta.dirname}/dist` },
};
