export default {
  mode: 'production',
  target: 'web',
  entry: './program.js',
  experiments: { outputModule: true },
  output: { filename: 'webpack.mjs', module: true, path: `${import.meta.dirname}/dist` },
};
