/** Without the fonts of the theme: those of the reader's machine serve. */
import theme from 'vitepress/theme-without-fonts';
import './custom.css';

export default theme;
