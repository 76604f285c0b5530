// Static files under /ui/, nothing inline: the policy of the control plane refuses inline scripts and styles.
import { limits } from '@gatehouse/contracts'
import preact from '@preact/preset-vite'
import { defineConfig, type Plugin } from 'vite'

/** The one part that is loaded late has no style and no part of its own to be fetched ahead. */
const loadPlainly: Plugin = {
  name: 'load-plainly',
  enforce: 'pre',
  load: (id) => (id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load()' : undefined),
}

const numbers = new Map<string, unknown>(Object.entries(limits))

/** The table of limits is long and little of it is used: each number stands where it is read. */
const writeLimits: Plugin = {
  name: 'write-limits',
  transform: (code, id) => {
    if (!/packages\/(?:contracts|client)\/src\//.test(id) || !code.includes('limits.')) return undefined
    return code.replaceAll(/\blimits\.(\w+)/g, (whole, name: string) => {
      const value = numbers.get(name)
      return typeof value === 'number' ? String(value) : whole
    })
  },
}

/** A page shows the sentence of a code, and neither answers requests nor exits. */
const leaveRest: Plugin = {
  name: 'leave-rest',
  transform: (code, id) => (id.endsWith('/contracts/src/errors.ts') ? code.replaceAll(/status:\s*\d+,\s*exit:\s*\d+,/g, '') : undefined),
}

/** What a page needs of the tables of kinds, channels and providers: their names. It shows names as the gateway stored them, in their one spelling. */
const unreadFacts =
  /(?<!readonly )\b(?:summary|risks|aliases|requestableByAgents|scope|secretive):\s*(?:'[^'\n]*'|\[[^\]\n]*\]|true|false),?/g

const leaveFacts: Plugin = {
  name: 'leave-facts',
  enforce: 'pre',
  transform: (code, id) => {
    if (id.endsWith('/contracts/src/kinds/kinds.ts')) return code.replaceAll(unreadFacts, '')
    if (id.endsWith('/contracts/src/models.ts')) return code.replaceAll(/'[A-Z]+_API_KEY'/g, '0')
    if (!id.endsWith('/contracts/src/channel-table.ts')) return undefined
    return code
      .replaceAll(/channelTable\[channel\]\.canonical(?:Address|User)\(text\)/g, 'text')
      .replaceAll(/^ {4}credentials: v\.strictObject\(\{[^]*?\}\),$/gm, '')
      .replaceAll(/^ {4}(?:canonicalAddress|canonicalUser|audience): .*,$/gm, '')
  },
}

/** A schema says what it expected to those who send; the console only reads what the unit sends. */
const leaveMessages: Plugin = {
  name: 'leave-messages',
  enforce: 'pre',
  transform: (code, id) => (/packages\/contracts\/src\/(?!errors)/.test(id) ? code.replaceAll(/'expected [^'\n]*'/g, "''") : undefined),
}

const bounds =
  /,\s*v\.(?:(?:min|max)(?:Length|Value|Bytes)\([\w.]+(?:, '')?\)|integer\(\)|trim\(\)|regex\([^\n]+?\/u?(?:, '')?\)|(?:regex|isoTimestamp|check)\(\w+(?:, (?:\w+|''))?\)|check\(\(\w+\) => [^\n]+?, ''\))(?=\s*[,)])/g

/** The unit has checked the lengths, ranges and forms of what it sends. */
const leaveBounds: Plugin = {
  name: 'leave-bounds',
  enforce: 'pre',
  transform: (code, id) => (id.includes('/packages/contracts/src/') ? code.replaceAll(bounds, '') : undefined),
}

/** They make schemas, of which the console uses some. */
const manualPureFunctions = ['call', 'defineEdge', 'listOf', 'dictionary', 'count', 'bound', 'label', 'distinct', 'v']

export default defineConfig({
  base: '/ui/',
  plugins: [loadPlainly, writeLimits, leaveRest, leaveMessages, leaveFacts, leaveBounds, preact()],
  build: {
    target: 'es2024',
    // Of 2024, too: they know `light-dark()`, which is otherwise written out for each colour.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: false,
    rolldownOptions: { treeshake: { manualPureFunctions, propertyReadSideEffects: false } },
  },
})
