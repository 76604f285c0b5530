// The files of deploy/observability, parsed as far as the tests look at them.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { parse } from 'yaml'

export const root = join(import.meta.dirname, '../../..')
export const folder = join(root, 'deploy/observability')

const text = (name: string): Promise<string> => readFile(join(folder, name), 'utf8')

const Annotations = v.strictObject({ summary: v.string(), description: v.string(), how_to: v.string() })
const Recording = v.strictObject({ record: v.string(), expr: v.string() })
const Alert = v.strictObject({
  alert: v.string(),
  expr: v.string(),
  for: v.optional(v.string()),
  labels: v.strictObject({ severity: v.picklist(['critical', 'warning', 'info']) }),
  annotations: Annotations,
})
export const Rules = v.strictObject({
  groups: v.array(v.strictObject({ name: v.string(), rules: v.array(v.union([Recording, Alert])) })),
})
export type Rules = v.InferOutput<typeof Rules>

export const readRules = async (): Promise<Rules> => v.parse(Rules, parse(await text('rules.yml')))

export const alertsOf = ({ groups }: Rules) => groups.flatMap(({ rules }) => rules).filter((rule) => 'alert' in rule)
export const recordingsOf = ({ groups }: Rules) => groups.flatMap(({ rules }) => rules).filter((rule) => 'record' in rule)

const Tests = v.object({
  tests: v.array(
    v.object({
      input_series: v.array(v.object({ series: v.string() })),
      alert_rule_test: v.array(v.object({ alertname: v.string(), exp_alerts: v.array(v.unknown()) })),
    }),
  ),
})
const readTests = async () => v.parse(Tests, parse(await text('rules.test.yml'))).tests

/** What each test of the rules expects, by alert. */
export const readExpectations = async () => (await readTests()).flatMap((each) => each.alert_rule_test)

/** What the tests of the rules let be scraped. */
export const readSeries = async () => (await readTests()).flatMap((each) => each.input_series.map(({ series }) => series))

const Panel = v.object({
  id: v.number(),
  type: v.string(),
  title: v.string(),
  datasource: v.optional(v.strictObject({ type: v.string(), uid: v.string() })),
  gridPos: v.strictObject({ h: v.number(), w: v.number(), x: v.number(), y: v.number() }),
  targets: v.optional(
    v.array(
      v.object({
        expr: v.string(),
        legendFormat: v.optional(v.string(), ''),
        datasource: v.strictObject({ type: v.string(), uid: v.string() }),
      }),
    ),
    [],
  ),
})
const Dashboard = v.object({
  schemaVersion: v.number(),
  panels: v.array(Panel),
  templating: v.object({ list: v.array(v.object({ name: v.string(), type: v.string() })) }),
})

export const readDashboard = async () => v.parse(Dashboard, JSON.parse(await text('dashboard.json')))
