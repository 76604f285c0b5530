// How-tos that are mostly for other machines, and what to do about an alert: what can be typed here is, and the rest has a reason.
// Profile: rest. Follows long pages on whole units; README and tutorial are in the default profile.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { execa } from 'execa'
import { applyChange } from '../../src/changes.ts'
import { say } from '../../src/chat.ts'
import { typedBetween } from '../../src/documents/page.ts'
import { follow } from '../../src/documents/follow.ts'
import { removeState } from '../../src/remove-state.ts'
import { freshDirectory, release, root, startUnit, type Unit } from '../../src/unit.ts'
import { lacking } from '../fixtures/container-world.ts'
import { ownName, removeContainer } from '../fixtures/container.ts'

const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'

const cluster = 'it wants a cluster; it is followed in one in tooling/deploy/test/cluster/page.test.ts'
const platform = 'it wants an account there'

/** What an alert sends people to type that cannot be typed here. */
const notTyped: Readonly<Record<string, string>> = {
  'iostat -x 5': 'it goes on for ever, and is of a package that nothing else wants',
  'svcctl model check PROVIDER': 'the page about a real model asks a provider',
}
/** What ends in another way on a unit on which nothing went wrong, and whose agents are plain processes. */
const endings: Readonly<Record<string, number>> = { 'svcctl change retry CHANGE --by you': 5, 'svcctl doctor --probe': 1 }

const pages = (): void => {
  let unit: Unit
  let directory: string
  before(async () => {
    directory = await freshDirectory()
    unit = await startUnit({ flags: ['--dev', '--sandbox', 'none'] })
  })
  after(async () => {
    await unit.dispose()
    await removeState(directory)
  })

  test('the page about Kubernetes, but for what a cluster is asked', async () => {
    const asked = [
      'create namespace',
      'helm lint',
      'port-forward',
      'gatehouse-tool-servers',
      'generic gatehouse-auditor',
      'rollback',
      'uninstall',
      'gatehouse restore',
      'delete pod',
      'unfreeze',
      'will be frozen',
      'the whole unit',
    ]
    const notRun = {
      ...Object.fromEntries(asked.map((name) => [name, cluster])),
      SERVICE_API_TOKEN_FILE: 'this unit has another token, and wants none',
    }
    await follow('docs/how-to/kubernetes.md', { address: unit.address, directory, notRun })
    for (const name of ['auditor.env', 'unit.age', 'restore.yaml']) assert.ok(existsSync(join(directory, name)), name)
  })

  test('the page about platforms, but for what a platform is asked', async () => {
    const places = { 'https://gatehouse-change-me.fly.dev': unit.address }
    await follow('docs/how-to/platforms.md', { address: unit.address, directory, places, notRun: { 'fly deploy': platform } })
  })

  test('what the page about alerts says to type can be typed', async (t) => {
    const change = await applyChange(unit, { kind: 'mcp_access', after: { server: 'sample', tools: ['echo'] } })
    assert.match(await say(unit, 'tool:sample__echo {"text":"hi"}'), /hi/)
    await execa(
      join(release, 'bin/svcctl'),
      ['token', 'create', 'scrape', '--role', 'auditor', '--file', join(directory, 'gatehouse.token')],
      {
        env: { SERVICE_API_URL: unit.address },
      },
    )
    const lines = typedBetween(await readFile(join(root, 'docs/how-to/alerts.md'), 'utf8'), /^(svcctl|curl|iostat|df|ls|du) /)
    assert.ok(lines.length > 15, lines.join('\n'))
    for (const name of [...Object.keys(notTyped), ...Object.keys(endings)]) assert.ok(lines.includes(name), name)
    const places = {
      'http://127.0.0.1:8787': unit.address,
      '/var/lib/gatehouse/state': unit.stateDir,
      CHANGE: change,
      GROUP: 'dev-agent',
      NAME__TOOL: 'sample__echo',
      NAME: 'sample',
    }
    for (const line of lines.filter((each) => !(each in notTyped))) {
      const typed = Object.entries(places).reduce((text, [word, value]) => text.replaceAll(word, value), line)
      const env = { PATH: `${join(release, 'bin')}:${process.env['PATH']}`, SERVICE_API_URL: unit.address }
      const { exitCode, all } = await execa('bash', ['-ec', typed], { cwd: directory, env, reject: false, all: true, timeout: 60_000 })
      t.diagnostic(`${exitCode} ${line}`)
      assert.equal(exitCode, endings[line] ?? 0, `${line}\n${all}`)
    }
  })
}

const skip = await lacking('docker')

const loaded = ['control-plane', 'sandbox'].map((name) => `gatehouse-${name}:0.0.0`)
const isLoaded = async (tag: string): Promise<boolean> => !(await execa('docker', ['image', 'inspect', tag], { reject: false })).failed

const images = async (): Promise<void> => {
  const before = await Promise.all(loaded.map(isLoaded))
  const [name, volume, home] = [ownName('page'), ownName('page-volume'), await freshDirectory()]
  try {
    await follow('docs/how-to/images.md', {
      directory: root,
      places: {
        'npx pnpm@12 build': 'true # every test here runs what it makes',
        'npx pnpm@12 images': `node tooling/images/src/main.ts --out '${home}'`,
        '--name gatehouse ': `--name ${name} `,
        '--volume gatehouse:': `--volume ${volume}:`,
        'docker exec gatehouse ': `docker exec ${name} `,
        'docker logs gatehouse': `docker logs ${name}`,
      },
      notRun: {
        'skopeo copy': 'it wants a registry with TLS; the test of the stack pushes such a layout to a registry of its own, and signs it',
        'cosign verify': 'it wants a release that is published; compose/start is tried with both ways to verify',
        '--addon-arm64': 'it wants an addon that was built on such a machine; tooling/images tests layouts of both',
      },
    })
  } finally {
    await removeContainer(name)
    await execa('docker', ['volume', 'rm', '--force', volume], { reject: false })
    for (const tag of loaded.filter((_, at) => before[at] === false)) await execa('docker', ['image', 'rm', tag], { reject: false })
    await rm(home, { recursive: true, force: true })
  }
}

// In the fast profile their commands are compared with the programs, and the images are run by tests of their own.
if (isFull) {
  suite('pages for other machines', pages)
  test('images are built, loaded and run as the page says', { skip, timeout: 600_000 }, images)
}
