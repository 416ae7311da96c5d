import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import ChatDemo from './chat-demo.vue';

const theme: Theme = {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => void app.component('ChatDemo', ChatDemo),
};

export default theme;
