// The pages of docs/reference, made from the tables that the code itself uses.
import { codes, exits, limits, metrics, toolErrorCodes } from '@gatehouse/contracts'
import { help } from '../../../apps/supervisor/src/plan/help.ts'

const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const page = (title: string, ...parts: readonly string[]): string =>
  [`# ${title}`, '<!-- Written by tooling/reference from the tables in the code. -->', ...parts].join('\n\n') + '\n'

const errors = (): string =>
  page(
    'Errors',
    'Every error of the admin API is `application/problem+json` (RFC 9457) with one of these codes; svcctl ends with the exit code beside it.',
    table(
      ['code', 'HTTP', 'exit', 'meaning'],
      Object.entries(codes).map(([code, { status, exit, title }]) => [`\`${code}\``, status, exit, title]),
    ),
    'A tool call on `tools.sock` is answered 200 with a result that the model can read; its `error.code` is one of:',
    toolErrorCodes.map((code) => `\`${code}\``).join(' '),
    'The daemon ends with:',
    table(
      ['exit', 'meaning'],
      Object.entries(exits).map(([name, exit]) => [exit, name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)]),
    ),
  )

const limitsPage = (): string =>
  page(
    'Limits',
    'Sizes in bytes, times in milliseconds, unless the name says otherwise.',
    table(
      ['limit', 'value'],
      Object.entries(limits).map(([name, value]) => [`\`${name}\``, value]),
    ),
  )

const metricsPage = (): string =>
  page(
    'Metrics',
    'Prometheus text at `GET /metrics` (bearer token). Every name has the prefix `gatehouse_`.',
    table(
      ['metric', 'type', 'labels', 'meaning', 'process'],
      Object.entries(metrics).map(([name, row]) => [`\`${name}\``, row.type, row.labels.join(', '), row.help, row.owner]),
    ),
  )

export const pages: Readonly<Record<string, () => string>> = {
  'configuration.md': () => page('Configuration', `\`\`\`text\n${help}\`\`\``),
  'errors.md': errors,
  'limits.md': limitsPage,
  'metrics.md': metricsPage,
}
