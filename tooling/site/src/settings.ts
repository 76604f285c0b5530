// The settings of VitePress: pages are written for the repository's host, so links, anchors and `<` mean what they mean there.
import { anchorOf } from '@gatehouse/reference/anchors'
import { defineConfig, type UserConfig } from 'vitepress'
import type { Section } from './sidebar.ts'

/** What the theme of VitePress is missing for WCAG: the label of a block of code, and a button that is called as it reads. */
const contrast = 'html:root { --vp-code-lang-color: var(--vp-c-text-2) } .DocSearch-Button-Keys { display: none !important }'

export const createSettings = (sidebar: Section[]): UserConfig =>
  defineConfig({
    title: 'Gatehouse',
    description: 'A host-side control plane for AI agents in sealed sandboxes',
    lang: 'en',
    srcDir: 'pages',
    head: [['style', {}, contrast]],
    markdown: {
      theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
      attrs: { disable: true },
      anchor: { slugify: anchorOf },
      config: (markdown) => void markdown.disable('html_inline'),
    },
    themeConfig: {
      nav: [
        { text: 'Tutorial', link: '/tutorial' },
        { text: 'Concepts', link: '/explanation/concepts' },
        { text: 'Documentation', link: '/documentation' },
      ],
      sidebar: sidebar.map(({ text, items }) => ({ text, items: items.map((item) => ({ ...item })) })),
      outline: [2, 3],
      search: { provider: 'local' },
    },
  })
