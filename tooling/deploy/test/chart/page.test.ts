// The commands of the page about Kubernetes: each is one that the released Helm and kubectl take. What needs a cluster stops before
// it would ask one; the whole page is followed in one in ../cluster/page.test.ts.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { execa } from 'execa'
import { parse, stringify } from 'yaml'
import { root } from '../files.ts'
import { chart, lacksHelm, openHelms, openKubectl, type Helms, type Program } from './helm.ts'

const pages = ['docs/how-to/kubernetes.md', 'charts/gatehouse/README.md']

const blocks = (page: string, language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\b[^\\n]*\\n(.*?)^\`\`\`$`, 'gms'))].map(([, block = '']) => block)

/** Of a line, and why no more of it can be done here than to ask the program whether there is such a command. */
const named: Readonly<Record<string, string>> = {
  'label namespace': 'it looks at a cluster',
  'rollout status': 'it looks at a cluster',
  'port-forward': 'it goes through a cluster',
  ' test gatehouse': 'the pod of that test is run as a container, in tooling/deploy/test/image.test.ts',
  ' rollback gatehouse': 'it looks at what a cluster has',
  ' uninstall gatehouse': 'it looks at what a cluster has',
  ' wait --for=': 'it looks at a cluster',
  ' apply --filename restore.yaml': 'it asks a cluster; the Pod and what is typed into it are tried in ../restore.test.ts',
  ' exec ': 'it goes through a cluster; what is typed into the Pod that restores is tried in ../restore.test.ts',
  ' delete pod ': 'it asks a cluster',
}
const followed = /^(svcctl |age-keygen |rm |\(umask |export )/

/** Values of the chart, and not objects of Kubernetes. */
const isValues = (block: object): boolean => !('kind' in block)

const linesOf = (page: string): string[] =>
  blocks(page, 'sh').flatMap((block) =>
    block
      .replaceAll(/\\\n\s*/g, '')
      .trimEnd()
      .split('\n'),
  )

suite('the page about Kubernetes', { skip: lacksHelm }, () => {
  let helms: Helms
  let kubectl: Program
  let place: string
  let text: string
  before(async () => {
    helms = await openHelms()
    kubectl = await openKubectl()
    place = await mkdtemp(join(tmpdir(), 'gatehouse-page-'))
    await symlink(join(root, 'charts'), join(place, 'charts'))
    text = (await Promise.all(pages.map((page) => readFile(join(root, page), 'utf8')))).join('\n')
  })
  after(async () => {
    await helms[Symbol.asyncDispose]()
    await kubectl[Symbol.asyncDispose]()
    await rm(place, { recursive: true, force: true })
  })

  const words = (line: string): string[] => line.split(' ').slice(1)
  const inPlace = () => ({ cwd: place })

  test('writes a Secret from a file that nobody else can read', async () => {
    const block = blocks(text, 'sh').find((each) => each.includes('umask')) ?? ''
    await execa('bash', ['-euc', block], inPlace())
    assert.equal((await stat(join(place, 'gatehouse.env'))).mode & 0o777, 0o600)
    await writeFile(join(place, 'tool-servers.env'), 'EXAMPLE_KEY=x\n')
    await writeFile(join(place, 'auditor.env'), 'token=x\n')
    const made = linesOf(text).filter((line) => / create (secret|namespace)/.test(line))
    assert.equal(made.length, 4)
    for (const line of made) {
      const { code, out, err } = await kubectl.run([...words(line), '--dry-run=client', '--output', 'yaml'], inPlace())
      assert.equal(code, 0, `${line}\n${err}`)
      if (!line.includes('gatehouse-admin')) continue
      const { data } = parse(out) as { data: Record<string, string> }
      assert.match(Buffer.from(data['token'] ?? '', 'base64').toString(), /^[0-9a-f]{64}$/)
    }
  })

  test('installs and upgrades with the values that it shows', async () => {
    const shown = blocks(text, 'yaml')
      .map((block) => parse(block) as object)
      .filter(isValues)
    assert.equal(shown.length, 5)
    for (const count of [1, shown.length]) {
      await writeFile(join(place, 'values.yaml'), stringify(Object.assign({}, ...shown.slice(0, count))))
      for (const line of linesOf(text).filter((each) => /^helm (.* )?(lint|install|upgrade) /.test(each))) {
        for (const { version, run } of helms.all) {
          const asks = !line.includes(' lint ')
          // Helm 3 asks the cluster for its version before a dry run, and an upgrade of either what is there.
          const act = version.startsWith('v3') ? 'template' : 'install --dry-run=client'
          const args = words(asks ? line.replace(/(install|upgrade) gatehouse/, `${act} gatehouse`) : line)
          const { code, out, err } = await run(args, inPlace())
          assert.equal(code, 0, `${version}: ${line}\n${out}\n${err}`)
          if (asks && !version.startsWith('v3')) assert.match(out, /NOTES:\nGatehouse runs as gatehouse, as a control plane alone/)
        }
      }
    }
  })

  test('names commands that there are', async () => {
    const rest = linesOf(text).filter((line) => !followed.test(line) && !/ (lint|install|upgrade|create) /.test(line))
    const reasons = Object.keys(named)
    assert.deepEqual(
      rest.filter((line) => !reasons.some((name) => line.includes(name))),
      [],
    )
    for (const name of reasons)
      assert.ok(
        rest.some((line) => line.includes(name)),
        `no line has ${name}`,
      )
    for (const line of rest) {
      for (const { run } of line.startsWith('helm') ? helms.all : [kubectl]) {
        const { code, err } = await run([...words(line.replace(/ -- .*/, '')), '--help'], inPlace())
        assert.equal(code, 0, `${line}\n${err}`)
      }
    }
    const rotate = await readFile(join(root, 'docs/how-to/rotate.md'), 'utf8')
    const asked = rotate.split('\n').filter((line) => line.startsWith('kubectl '))
    assert.equal(asked.length, 3)
    for (const line of asked.flatMap((each) => each.split(' | '))) {
      const { code, err } = await kubectl.run([...words(line), '--help'], inPlace())
      assert.equal(code, 0, `${line}\n${err}`)
    }
    const values = await readFile(join(chart, 'values.yaml'), 'utf8')
    for (const [, name = ''] of text.matchAll(/`(networkPolicy|trustedProxies|secretEnvironment|environment|publicUrls)`/g))
      assert.match(values, new RegExp(`^${name}:`, 'm'))
  })
})
