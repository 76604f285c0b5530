// The dashboard and the rules: true to the table of metrics, and taken by promtool. Each alert fires and is silent in the rules' own
// tests, which fail when one of them never fires, or always.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { execa } from 'execa'
import { stringify } from 'yaml'
import { alertsOf, folder, readDashboard, readExpectations, readRules, readSeries, recordingsOf, root, type Rules } from './files.ts'
import { faultsOf, scrapedLabels, selectors, unknownLabels } from './promql.ts'

const lacks = existsSync('/usr/bin/promtool')
  ? false
  : 'needs promtool, install with: apt-get install -y --no-install-recommends prometheus'
if (lacks !== false && process.env['CI'] === 'true') throw new Error(lacks)

const promtool = async (args: readonly string[], cwd: string) => {
  const { exitCode, all } = await execa('promtool', args, { cwd, reject: false, all: true })
  return { code: exitCode, all }
}

const recordedLabels = (rules: Rules): Map<string, readonly string[]> =>
  new Map(
    recordingsOf(rules).map(({ record, expr }) => {
      const by = /\bby\s*\(([^)]*)\)/.exec(expr)?.[1] ?? ''
      return [record, by.split(',').map((label) => label.trim())]
    }),
  )

/** As Grafana fills them in. */
const filled = (expr: string): string => expr.replaceAll('$__rate_interval', '1m').replaceAll(/\$(?:job|instance)\b/g, '.*')

const placeholders = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, label = '']) => label)

suite('what is named', () => {
  test('the rules name metrics and labels that there are', async () => {
    const rules = await readRules()
    const recorded = recordedLabels(rules)
    for (const rule of [...recordingsOf(rules), ...alertsOf(rules)]) assert.deepEqual(faultsOf(rule.expr, recorded), [], rule.expr)
  })

  test('the dashboard names metrics and labels that there are, and leaves none out', async () => {
    const expressions = (await readDashboard()).panels.flatMap(({ targets }) => targets.map(({ expr }) => filled(expr)))
    for (const expr of expressions) assert.deepEqual(faultsOf(expr, new Map()), [], expr)
    const { metrics } = await import('@gatehouse/contracts')
    const all = expressions.join('\n')
    assert.deepEqual(
      Object.keys(metrics).filter((name) => !all.includes(`gatehouse_${name}`)),
      [],
    )
  })

  test('the texts of alerts and the legends of the dashboard name labels that are left of what they speak of', async () => {
    const rules = await readRules()
    const recorded = recordedLabels(rules)
    for (const { alert, expr, annotations } of alertsOf(rules)) {
      const named = placeholders(Object.values(annotations).join(' '), /\$labels\.(\w+)/g)
      assert.deepEqual(unknownLabels(named, expr, recorded), [], alert)
    }
    for (const { expr, legendFormat } of (await readDashboard()).panels.flatMap(({ targets }) => targets)) {
      const named = placeholders(legendFormat, /\{\{\s*(\w+)\s*\}\}/g)
      assert.deepEqual(unknownLabels(named, filled(expr), recorded), [], `${expr}: ${legendFormat}`)
    }
    assert.deepEqual(unknownLabels(['kind', 'server'], 'sum by (server) (gatehouse_sandbox_live)', recorded), ['kind'])
    assert.deepEqual(unknownLabels(['proces', 'process'], 'gatehouse_process_up', recorded), ['proces'])
  })

  test('the tests of the rules let only be scraped what a unit has, with every label', async () => {
    // The Prometheus Operator adds the name of the pod.
    const all = (await readSeries())
      .map((series) => series.replace(/, pod="[^"]*"/, ''))
      .filter((series) => !series.includes('job="other"'))
    for (const series of all) {
      assert.deepEqual(faultsOf(series, new Map()), [], series)
      for (const { name, labels } of selectors(series)) assert.deepEqual(labels.toSorted(), [...scrapedLabels(name)].toSorted(), series)
    }
    assert.ok(all.length > 50)
  })

  test('a metric, a label or a grouping that there is not is found', () => {
    const recorded = new Map([['server:gatehouse_calls:rate5m', ['server']]])
    assert.deepEqual(faultsOf('rate(gatehouse_broker_request_total[5m]) > 1', recorded), [
      'there is no metric gatehouse_broker_request_total',
    ])
    assert.deepEqual(faultsOf('gatehouse_process_up{proces="broker"}', recorded), ['gatehouse_process_up has no label proces'])
    assert.deepEqual(faultsOf('sum by (kind) (gatehouse_sandbox_live)', recorded), ['no metric of the expression has the label kind'])
    assert.deepEqual(faultsOf('gatehouse_sandbox_live and sandbox_live', recorded), ['there is no metric sandbox_live'])
    assert.deepEqual(faultsOf('sum by (server) (server:gatehouse_calls:rate5m{server="a"})', recorded), [])
    assert.deepEqual(faultsOf('1 > 2', recorded), ['no metric is named'])
  })

  test('the datasource is chosen in the dashboard, and its panels do not overlap', async () => {
    const { panels, templating } = await readDashboard()
    assert.ok(templating.list.some(({ name, type }) => name === 'datasource' && type === 'datasource'))
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
    )
    assert.equal(new Set(cells).size, cells.length)
    for (const { type, title, datasource, targets } of panels.filter((panel) => panel.type !== 'row')) {
      assert.ok(targets.length > 0, `${type} ${title} shows nothing`)
      for (const { uid } of [datasource, ...targets.map((target) => target.datasource)].filter((each) => each !== undefined))
        assert.equal(uid, '${datasource}', title)
    }
  })

  test('each alert leads to its own heading of a page, and has a test in which it fires and one in which it is silent', async () => {
    const expectations = await readExpectations()
    for (const { alert, annotations } of alertsOf(await readRules())) {
      const [page = '', anchor] = annotations.how_to.split('#')
      assert.equal(anchor, alert.toLowerCase())
      assert.match(await readFile(join(root, page), 'utf8'), new RegExp(`^## ${alert}$`, 'm'))
      const sizes = expectations.filter(({ alertname }) => alertname === alert).map(({ exp_alerts }) => exp_alerts.length)
      assert.ok(sizes.includes(0) && sizes.some((size) => size > 0), `${alert} is not tested`)
    }
  })
})

suite('promtool', { skip: lacks }, () => {
  let scratch: string
  before(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'gatehouse-rules-'))
    await copyFile(join(folder, 'rules.test.yml'), join(scratch, 'rules.test.yml'))
  })
  after(() => rm(scratch, { recursive: true, force: true }))

  test('takes the rules and the scrape configuration', async () => {
    for (const args of [
      ['check', 'rules', 'rules.yml'],
      ['check', 'config', '--syntax-only', 'scrape.yml'],
    ]) {
      const { code, all } = await promtool(args, folder)
      assert.equal(code, 0, all)
    }
  })

  test('takes every expression of the dashboard', async () => {
    const rules = (await readDashboard()).panels
      .flatMap(({ targets }) => targets)
      .map(({ expr }, index) => ({ record: `panel:${index}`, expr: filled(expr) }))
    await writeFile(join(scratch, 'panels.yml'), stringify({ groups: [{ name: 'panels', rules }] }))
    const { code, all } = await promtool(['check', 'rules', 'panels.yml'], scratch)
    assert.equal(code, 0, all)
  })

  test('finds each alert firing when it should and silent when not', async () => {
    const { code, all } = await promtool(['test', 'rules', 'rules.test.yml'], folder)
    assert.equal(code, 0, all)
  })

  test('finds each alert that never fires, and each that always does', async () => {
    const rules = await readRules()
    for (const expr of ['vector(1) > 1', 'vector(1)']) {
      const groups = rules.groups.map((group) => ({
        ...group,
        rules: group.rules.map((rule) => ('alert' in rule ? { ...rule, expr, for: '0s' } : rule)),
      }))
      await writeFile(join(scratch, 'rules.yml'), stringify({ groups }))
      const { code, all } = await promtool(['test', 'rules', 'rules.test.yml'], scratch)
      assert.equal(code, 1)
      for (const { alert } of alertsOf(rules)) assert.match(all, new RegExp(`alertname: ?${alert}\\b`), `${alert} as ${expr} was not found`)
    }
  })
})
