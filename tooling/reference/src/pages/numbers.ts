// Limits and metrics.
import { limits, metrics } from '@gatehouse/contracts'
import { code, page, table } from '../page.ts'

export const limitsPage = (): string =>
  page(
    'Limits',
    'Sizes in bytes, times in milliseconds, unless the name says otherwise.',
    table(
      ['limit', 'value'],
      Object.entries(limits).map(([name, value]) => [code(name), value]),
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
