// Slack's text format: three escaped characters, and references in angle brackets.

const plain = (text: string): string => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

/** `<@U1|ann>`, `<#C1|general>`, `<!here>`, `<https://example.org|label>`. */
const renderReference = (reference: string): string => {
  const [target = '', label] = reference.split('|', 2)
  if (target.startsWith('@')) return `@${label ?? target.slice(1)}`
  if (target.startsWith('#')) return `#${label ?? target.slice(1)}`
  if (target.startsWith('!')) return label ?? `@${target.slice(1).split('^')[0]}`
  return label === undefined || label === target ? target : `${label} (${target})`
}

/** The text as people see it. */
export const readText = (text: string): string =>
  plain(text.replaceAll(/<([^<>]*)>/g, (_, reference: string) => renderReference(reference)))

const nameOf = (user: string): RegExp => new RegExp(`<@${user}(?:\\|[^<>]*)?>`)

/** Slack escapes typed brackets, so this is a real mention. */
export const mentions = (text: string, user: string): boolean => nameOf(user).test(text)

/** Removes a mention of this user at the start of the text. */
export const withoutName = (text: string, user: string): string => text.replace(new RegExp(`^\\s*${nameOf(user).source}[\\s:,]*`), '')

/** Escapes text so that Slack parses nothing in it. */
export const escapeText = (text: string): string =>
  text.toWellFormed().replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
