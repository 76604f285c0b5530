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

  const secrets = [
    'OPENAI_API_KEY',
    'SERVICE_MODEL_API_KEY',
    'SERVICE_HTTPS_PROXY',
    'EMAIL_IMAP_URL',
    'EMAIL_SMTP_URL',
    'SLACK_APP_TOKEN',
    'SLACK_BOT_TOKEN',
    'TELEGRAM_BOT_TOKEN',
    'WEBHOOK_SIGNING_SECRET',
  ]

  /** Faults of one group are told together. */
  const refusals: readonly (readonly (readonly [what: string, setting: string, says: RegExp])[])[] = [
    [
      ['a tag for a digest', 'image.digest=latest', /image.digest.*does not match pattern.*sha256/i],
      ['a tag in the name', 'image.repository=registry.example.com/gatehouse:v1', /image.repository.*does not match pattern/i],
      ['a setting that there is not', 'replicas=2', /additional propert(y|ies) '?replicas'?.*not allowed/i],
      ['a Service to the outside', 'service.type=LoadBalancer', /additional propert(y|ies) '?type'?.*not allowed/i],
      ['a port of root', 'service.port=80', /service.port.*(greater than or equal to 1024|want 1,024)/i],
      ['a size without unit', 'persistence.size=1GB', /persistence.size.*does not match pattern/i],
      ['a volume for many nodes', 'persistence.accessModes={ReadWriteMany}', /persistence.accessModes.0.*must be one of/i],
      ['three approvers', 'approvals=3', /approvals.*must be one of.*1, 2/i],
      ['a word for a truth', 'ingress.enabled=maybe', /ingress.enabled.*boolean/i],
      ['an address for a network', 'trustedProxies={10.0.0.1}', /trustedProxies.0.*does not match pattern/i],
    ],
    [
      ['no digest', 'image.digest=', /image\.digest: expected sha256: and 64 hex digits, got nothing; build an image/],
      ['no repository', 'image.repository=', /image\.repository: expected the name of an image/],
      ['no token', 'token.existingSecret=', /token\.existingSecret: expected the name of a Secret .* got nothing; kubectl create secret/],
      ['an ingress without a name', 'ingress.enabled=true', /ingress\.hosts: expected at least one host name, got none/],
      [
        'a scrape without token',
        'metrics.serviceMonitor.enabled=true',
        /metrics\.serviceMonitor\.tokenSecret: expected the name of a Secret/,
      ],
      ...secrets.map(
        (name) =>
          [
            `${name} in plain`,
            `environment.${name}=x`,
            new RegExp(`environment\\.${name}: expected no secret.*secretEnvironment`),
          ] as const,
      ),
      [
        'a setting of the chart',
        'environment.SERVICE_SANDBOX=auto',
        /environment\.SERVICE_SANDBOX: expected a variable that the chart leaves/,
      ],
    ],
    [
      ['two tokens', 'token.mint=true', /token: expected existingSecret or mint, got both/],
      [
        'an ingress without TLS',
        'ingress.enabled=true,ingress.hosts={a.example}',
        /ingress\.tls: expected an entry whose hosts name a\.example/,
      ],
    ],
  ]

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

  test('refuses a Kubernetes that is too old', async () => {
    for (const { run } of helms.all) {
      const { code, err } = await run(['template', 'unit', chart, ...valuesOf('least-values.yaml'), '--kube-version', '1.24.17'])
      assert.notEqual(code, 0)
      assert.match(err, /chart requires kubeVersion: >=1\.25/)
    }
  })
})
