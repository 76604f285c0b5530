// Limits and metrics.
import { formatBounds, jsonBounds, jsonNameBytes, limits, metrics } from '@gatehouse/contracts'
import { code, page, table } from '../page.ts'

export const limitsPage = (): string =>
  page(
    'Limits',
    'Sizes in bytes, times in milliseconds, unless the name says otherwise.',
    table(
      ['limit', 'value'],
      Object.entries(limits).map(([name, value]) => [code(name), value]),
    ),
    '## Structure of JSON',
    `Every external JSON document is checked on its bytes, before it is parsed. A document over a limit is refused with the reason, and never reaches a parser. Values and member names count together; brackets inside strings do not count. Each escape in a string counts as one more byte. A name has at most ${jsonNameBytes} bytes.`,
    table(
      ['document', 'bytes', 'levels', 'values and names'],
      Object.values(jsonBounds).map(({ from, bytes, levels, values }) => [from, bytes, levels, values]),
    ),
    'The unit itself writes the rows of its encrypted databases and the lines of the audit log, from documents within these limits.',
    '## Structure of other documents',
    table(
      ['document', 'limits'],
      Object.values(formatBounds).map(({ from, ...bounds }) => [
        from,
        Object.entries(bounds)
          .map(([name, value]) => `${name} ${value}`)
          .join(', '),
      ]),
    ),
  )

export const metricsPage = (): string =>
  page(
    'Metrics',
    'Prometheus text at `GET /metrics` (bearer token). Every name has the prefix `gatehouse_`.',
    table(
      ['metric', 'type', 'labels', 'meaning', 'process'],
      Object.entries(metrics).map(([name, row]) => [code(name), row.type, row.labels.join(', '), row.help, row.owner]),
    ),
  )
