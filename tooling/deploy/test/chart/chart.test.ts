// The chart as the released Helm 3 and Helm 4 render it: ten sets of values, the schemas of the oldest and the newest Kubernetes,
// the restricted Pod Security Standard and the rules of the house; and bad values, which are refused in words.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { parse } from 'yaml'
import { readRules, root } from '../files.ts'
import { chart, lacksHelm, openHelms, type Helms } from './helm.ts'
import { houseFaults } from './house.ts'
import { type KubernetesObject, parseObjects, podsOf } from './objects.ts'
import { violations } from './pod-security.ts'
import { refusals } from './refusals.ts'
import { type Check, readChecks } from './schemas.ts'

const sets = (await readdir(join(chart, 'ci'))).filter((name) => name.endsWith('-values.yaml')).toSorted()
const valuesOf = (set: string): string[] => ['--values', join(chart, 'ci', set)]

suite('the chart', { skip: lacksHelm }, () => {
  let helms: Helms
  let rendered: { readonly where: string; readonly set: string; readonly objects: readonly KubernetesObject[] }[]

  let checks: Map<string, Check>
  before(async () => {
    helms = await openHelms()
    checks = await readChecks()
    rendered = []
    for (const { version, run } of helms.all) {
      for (const set of sets) {
        const { code, out, err } = await run(['template', 'unit', chart, '--namespace', 'agents', ...valuesOf(set)])
        assert.equal(code, 0, `${version} ${set}: ${err}`)
        rendered.push({ where: `${version} ${set}`, set, objects: parseObjects(out) })
      }
    }
  })
  after(() => helms[Symbol.asyncDispose]())

  const of = (set: string): readonly KubernetesObject[] => rendered.find((each) => each.set === `${set}-values.yaml`)?.objects ?? []

  test('passes helm lint with each of ten sets of values, in Helm 3 and in Helm 4', async () => {
    assert.equal(sets.length, 10)
    if (process.env['HELM'] === undefined)
      assert.deepEqual(
        helms.all.map(({ version }) => version.split('.')[0]),
        ['v3', 'v4'],
      )
    for (const { version, run } of helms.all) {
      for (const set of sets) {
        const { code, out, err } = await run(['lint', chart, '--strict', '--quiet', '--namespace', 'agents', ...valuesOf(set)])
        assert.equal(code, 0, `${version} ${set}: ${out}${err}`)
      }
    }
  })

  test('fits the schemas of Kubernetes 1.25 and of the newest, and those of the Prometheus Operator', () => {
    assert.deepEqual([...checks.keys()], ['1.25.16', '1.37.2'])
    for (const { where, objects } of rendered)
      for (const [release, check] of checks)
        for (const object of objects) assert.deepEqual(check(object), [], `${where} on ${release}: ${object.kind} ${object.metadata.name}`)
    const kinds = new Set(rendered.flatMap(({ objects }) => objects.map(({ kind }) => kind)))
    for (const kind of ['StatefulSet', 'Pod', 'Ingress', 'NetworkPolicy', 'ServiceMonitor', 'PrometheusRule', 'ConfigMap'])
      assert.ok(kinds.has(kind), `no set of values makes a ${kind}`)
  })

  test('finds a field that Kubernetes does not know, a wrong type, and a kind that there is not', () => {
    const [claim] = of('least').filter(({ kind }) => kind === 'PersistentVolumeClaim')
    assert.ok(claim)
    for (const check of checks.values()) {
      assert.match(check({ ...claim, spec: { accessMode: 'ReadWriteOnce' } }).join('\n'), /must NOT have additional properties.*accessMode/)
      assert.match(check({ ...claim, spec: { accessModes: 'ReadWriteOnce' } }).join('\n'), /accessModes: must be array/)
      assert.deepEqual(check({ ...claim, apiVersion: 'v2' }), ['v2 PersistentVolumeClaim: there is no such kind'])
    }
  })

  test('keeps every rule of the restricted Pod Security Standard, and of the house', () => {
    for (const { where, objects } of rendered) {
      for (const pod of podsOf(objects)) assert.deepEqual(violations(pod), [], `${where}: ${pod.of}`)
      assert.deepEqual(houseFaults(objects), [], where)
    }
  })

  test('has a network policy unless it is told to have none', () => {
    for (const { where, set, objects } of rendered)
      assert.equal(
        objects.some(({ kind }) => kind === 'NetworkPolicy'),
        set !== 'bare-values.yaml',
        where,
      )
  })

  test('says after an install who is kept out by the network policy', async () => {
    const from = (count: number): string =>
      `networkPolicy.from=${JSON.stringify(Array.from({ length: count }, () => ({ namespaceSelector: {} })))}`
    const alone = 'lets in pods of this namespace alone. Name in networkPolicy.from the namespace of '
    const rows: readonly (readonly [sets: readonly string[], peers: number, says: RegExp | undefined])[] = [
      [['least'], 0, undefined],
      [['ingress'], 0, new RegExp(`${alone}the ingress controller\\.`)],
      [['ingress'], 1, undefined],
      [['monitored'], 0, new RegExp(`${alone}Prometheus\\.`)],
      [['monitored'], 1, undefined],
      [['ingress', 'monitored'], 0, new RegExp(`${alone}the ingress controller, and that of Prometheus\\.`)],
      [
        ['ingress', 'monitored'],
        1,
        /and one peer of networkPolicy\.from\. Name in networkPolicy\.from the namespace of the ingress controller, and/,
      ],
      [['ingress', 'monitored'], 2, undefined],
    ]
    // Helm 3 asks a cluster before it shows them.
    for (const { run } of helms.all.filter(({ version }) => !version.startsWith('v3'))) {
      for (const [names, peers, says] of rows) {
        const flags = [...names.flatMap((name) => valuesOf(`${name}-values.yaml`)), '--set-json', from(peers)]
        const { code, out, err } = await run(['install', 'unit', chart, '--dry-run=client', ...flags])
        assert.equal(code, 0, err)
        const notes = out.slice(out.indexOf('\nNOTES:\n'))
        if (says === undefined) assert.doesNotMatch(notes, /network policy/, names.join())
        else assert.match(notes, says)
      }
    }
  })

  test('renders the same in Helm 3 and in Helm 4', () => {
    const byKind = (objects: readonly KubernetesObject[]): string[] => objects.map((object) => JSON.stringify(object)).toSorted()
    for (const set of sets) {
      const [first, ...others] = rendered.filter((each) => each.set === set)
      for (const other of others) assert.deepEqual(byKind(other.objects), byKind(first?.objects ?? []), set)
    }
  })

  test('takes the rules and the dashboard from where they are kept, word for word', async () => {
    const objects = of('monitored')
    assert.deepEqual(objects.find(({ kind }) => kind === 'PrometheusRule')?.spec, await readRules())
    const board = objects.find(({ kind }) => kind === 'ConfigMap')?.['data']
    assert.deepEqual(board, { 'gatehouse.json': (await readFile(join(root, 'deploy/observability/dashboard.json'), 'utf8')).trimEnd() })
  })

  test('answers to the names of its Service and of its ingress, and is scraped by one of them', () => {
    const [pod] = podsOf(of('ingress'))
    const urls = pod?.spec.containers[0]?.env.find(({ name }) => name === 'SERVICE_PUBLIC_URL')?.value?.split(',')
    assert.deepEqual(urls?.slice(0, 2), ['https://gatehouse.example.com', 'https://approvals.example.com'])
    assert.ok(urls?.includes('http://unit-gatehouse.agents.svc:8787'))
    const monitor = JSON.stringify(of('monitored').find(({ kind }) => kind === 'ServiceMonitor')?.spec)
    assert.match(monitor, /"replacement":"unit-gatehouse\.agents\.svc:8787"/)
  })

  test('has the version of the project', async () => {
    const project: unknown = JSON.parse(await readFile(join(root, 'apps/supervisor/package.json'), 'utf8'))
    const { version, appVersion } = parse(await readFile(join(chart, 'Chart.yaml'), 'utf8')) as Record<string, unknown>
    const expected = (project as Record<string, unknown>)['version']
    assert.deepEqual([version, appVersion], [expected, expected], 'write the version of apps/supervisor into charts/gatehouse/Chart.yaml')
  })

  test('knows each of its values in the schema, and no other', async () => {
    const names = (value: unknown, path: string): string[] =>
      typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
        ? Object.entries(value).flatMap(([name, inner]) => names(inner, `${path}.${name}`))
        : [path]
    const schema: unknown = JSON.parse(await readFile(join(chart, 'values.schema.json'), 'utf8'))
    const known = (at: unknown, path: string): string[] => {
      const { properties } = at as { properties?: Record<string, unknown> }
      return properties === undefined ? [path] : Object.entries(properties).flatMap(([name, inner]) => known(inner, `${path}.${name}`))
    }
    const open = ['.resources', '.metrics.dashboard.labels']
    const outside = (path: string): boolean => !open.some((prefix) => path.startsWith(prefix)) && path !== '.global'
    const written = names(parse(await readFile(join(chart, 'values.yaml'), 'utf8')), '').filter(outside)
    assert.deepEqual(written.toSorted(), known(schema, '').filter(outside).toSorted())
  })

  test('refuses bad values, and says of each which it was and what was expected', async () => {
    for (const { version, run } of helms.all) {
      for (const group of refusals) {
        const flags = group.flatMap(([, setting]) => ['--set', setting])
        const { code, err } = await run(['template', 'unit', chart, ...valuesOf('least-values.yaml'), ...flags])
        assert.notEqual(code, 0, version)
        for (const [what, , says] of group) assert.match(err, says, `${version} does not speak of ${what}`)
      }
    }
  })

  test('refuses the name of a release that makes no name of a Service', async () => {
    for (const { run } of helms.all)
      for (const name of ['gate.example', '7gates']) {
        const { code, err } = await run(['template', name, chart, ...valuesOf('least-values.yaml')])
        assert.notEqual(code, 0)
        assert.match(
          err,
          /name of the release: expected one that makes the name of a Service.*got .*; take another or set fullnameOverride/,
        )
      }
  })

  test('takes names that look like numbers and truths as names', async () => {
    const sets = ['keys', 'placed', 'volume', 'ingress', 'monitored'].flatMap((set) => valuesOf(`${set}-values.yaml`))
    const named = {
      '7': ['token.existingSecret', 'token.key', 'masterKey.existingSecret', 'masterKey.key', 'secretEnvironment[0]'],
      '1': ['image.pullSecrets[0]', 'persistence.storageClassName', 'priorityClassName', 'ingress.className'],
      '9': ['metrics.serviceMonitor.tokenSecret', 'metrics.serviceMonitor.tokenKey'],
      true: ['fullnameOverride', 'nameOverride'],
    }
    const flags = Object.entries(named).flatMap(([value, paths]) => paths.flatMap((path) => ['--set-string', `${path}=${value}`]))
    const numbers = ['--set-json', 'environment={"ON":1000000,"NO":true}']
    for (const { version, run } of helms.all) {
      const { code, out, err } = await run(['template', '12', chart, '--namespace', '34', ...sets, ...flags, ...numbers])
      assert.equal(code, 0, err)
      const objects = parseObjects(out)
      for (const check of checks.values()) assert.deepEqual(objects.flatMap(check), [], version)
      const [unit] = podsOf(objects)
      assert.equal(unit?.of, 'StatefulSet true')
      const env = unit?.spec.containers[0]?.env.filter(({ name }) => /^(ON|NO)$/.test(name)).map(({ name, value }) => `${name}=${value}`)
      assert.deepEqual(env?.toSorted(), ['NO=true', 'ON=1000000'])
    }
    const claimed = await helms.all[0]?.run(['template', '12', chart, ...sets, ...flags, '--set-string', 'persistence.existingClaim=5'])
    for (const check of checks.values()) assert.deepEqual(parseObjects(claimed?.out ?? '').flatMap(check), [])
  })

  test('refuses a Kubernetes that is too old', async () => {
    for (const { run } of helms.all) {
      const { code, err } = await run(['template', 'unit', chart, ...valuesOf('least-values.yaml'), '--kube-version', '1.24.17'])
      assert.notEqual(code, 0)
      assert.match(err, /chart requires kubeVersion: >=1\.25/)
    }
  })
})
