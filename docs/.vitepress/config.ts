import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { defineConfig, type DefaultTheme, type MarkdownRenderer } from 'vitepress';
import { handbook } from './handbook.ts';

const root = join(import.meta.dirname, '..', '..');
const pages = handbook.flatMap(({ pages: some }) => some.flatMap((pattern) => globSync(pattern, { cwd: root }).toSorted()));
const forgotten = globSync('docs/**/*.md', { cwd: root }).filter((page) => !pages.includes(page));
if (forgotten.length > 0) throw new Error(`no part of docs/.vitepress/handbook.ts has ${forgotten.join(', ')}`);

/** Where a page of the repository stands on the site: the handbook at its top, a README as the index of its folder, other pages of the root in
 * a folder, because SECURITY and security are one name on some file systems. */
const placeOf = (page: string): string =>
  page
    .replace(/^docs\//, '')
    .replace(/README\.md$/, 'index.md')
    .replace(/^[A-Z]+\.md$/, (name) => `project/${name.toLowerCase()}`);
const addressOf = (page: string): string => `/${placeOf(page)}`.replace(/(?<=\/)index\.md$|\.md$/, '');
const headingOf = (page: string): string => /^# (.+)$/m.exec(readFileSync(join(root, page), 'utf8'))?.[1]?.replaceAll('`', '') ?? page;

const sidebar: DefaultTheme.SidebarItem[] = handbook.map(({ title, pages: some, isLong }) => ({
  text: title,
  ...(isLong === true ? { collapsed: true } : {}),
  items: some
    .flatMap((pattern) => globSync(pattern, { cwd: root }).toSorted())
    .map((page) => ({ text: headingOf(page), link: addressOf(page) })),
}));

/** As code hosts make them, so that a link to a heading works in both places. */
const slugify = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

/** Turns links between files into links between pages. A file that is no page keeps its name and loses its link. */
function linkPages(md: MarkdownRenderer): void {
  md.core.ruler.push('link_pages', ({ tokens, env }) => {
    const source = relative(root, (env as { realPath?: string; path: string }).realPath ?? (env as { path: string }).path);
    for (const { children } of tokens)
      for (const [index, token] of (children ?? []).entries()) {
        const href = token.type === 'link_open' ? token.attrGet('href') : null;
        if (href === null || href.startsWith('#') || /^\w+:/.test(href)) continue;
        const [path = '', hash] = href.split('#');
        const page = pageAt(posix.join(dirname(source), path));
        if (page !== undefined) {
          token.attrSet('href', `/${placeOf(page)}${hash === undefined ? '' : `#${hash}`}`);
          continue;
        }
        const close = children?.slice(index).find(({ type }) => type === 'link_close');
        for (const end of [token, close]) if (end !== undefined) end.type = 'text';
      }
  });
}

/** The page that a path means: a folder means its README, or else its first page. Fails for a file that is not there. */
function pageAt(path: string): string | undefined {
  const target = path.replace(/\/$/, '');
  if (!existsSync(join(root, target))) throw new Error(`a link leads to ${target}, which is not there`);
  if (!statSync(join(root, target)).isDirectory()) return pages.find((page) => page === target);
  return pages.find((page) => page === posix.join(target, 'README.md')) ?? pages.find((page) => dirname(page) === target);
}

/** The links of the built site, each with the page that has it, whose file or heading is not there. */
function deadLinks(folder: string): string[] {
  const files = new Map(globSync('**/*.html', { cwd: folder }).map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
  return [...files].flatMap(([file, html]) =>
    [...html.matchAll(/\shref="(?!\w+:)([^"#]*)(?:#([^"]*))?"/g)].flatMap(([, path = '', hash = '']) => {
      const target = path === '' ? file : posix.join(dirname(file), path);
      const isThere = existsSync(join(folder, target));
      const hasHeading = hash === '' || (files.get(target)?.includes(` id="${decodeURIComponent(hash)}"`) ?? false);
      return isThere && hasHeading ? [] : [`${file}: ${path}#${hash}`];
    }),
  );
}

export default defineConfig({
  title: 'Weir',
  description: 'Screens each deposit and withdrawal of a crypto exchange.',
  // None: browsers would ask for /favicon.ico.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  // The site works below any address, and from a folder.
  base: './',
  srcDir: '..',
  srcExclude: globSync('**/*.md', { cwd: root, exclude: ['**/node_modules/**'] }).filter((page) => !pages.includes(page)),
  rewrites: placeOf,
  // Files of services are named config.ts, too.
  additionalConfig: {},
  outDir: '.vitepress/dist',
  cacheDir: join(root, 'node_modules', '.cache', 'vitepress'),
  vite: { build: { chunkSizeWarningLimit: 4096 } },
  markdown: {
    html: false,
    linkify: false,
    anchor: { slugify },
    config: linkPages,
  },
  themeConfig: {
    sidebar,
    search: { provider: 'local' },
    outline: [2, 3],
    docFooter: { prev: false, next: false },
  },
  buildEnd: ({ outDir }) => {
    const dead = deadLinks(outDir);
    if (dead.length > 0) throw new Error(`dead links:\n${dead.join('\n')}`);
  },
});
