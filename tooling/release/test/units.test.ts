// The units as systemd itself judges them, and what each of them must say.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { execa } from 'execa'
import { checkout } from './made.ts'

const folder = join(checkout, 'deploy/systemd')
const units = (await readdir(folder)).filter((name) => name.endsWith('.service')).toSorted()
const textOf = (unit: string): Promise<string> => readFile(join(folder, unit), 'utf8')

/** The highest exposure that each may have, from 0 to 10. The half that starts sandboxes as root says why; what makes ready is over by then. */
const ceilings: Readonly<Record<string, number>> = {
  'gatehouse-control-plane.service': 1.5,
  'gatehouse-control.service': 1.5,
  'gatehouse-runner.service': 4.3,
  'gatehouse-sandboxes.service': 4.9,
  'gatehouse-setup@.service': 2.5,
  'gatehouse.service': 2.5,
}

const exposureOf = async (path: string): Promise<number> => {
  const { stdout } = await execa('systemd-analyze', ['security', '--offline=true', '--no-pager', path])
  return Number(/exposure level for \S+: (\d+\.\d)/.exec(stdout)?.[1])
}

suite('units of systemd', () => {
  test('each stays below the exposure that it is allowed', async (t) => {
    assert.deepEqual(Object.keys(ceilings).toSorted(), units)
    for (const unit of units) {
      const exposure = await exposureOf(join(folder, unit))
      t.diagnostic(`${unit} ${exposure}`)
      assert.ok(exposure <= (ceilings[unit] ?? 0), `${unit}: ${exposure}`)
    }
  })

  test('none starts a shell, and each starts programs of the release alone', async () => {
    const programs = new Set(['/opt/gatehouse/current/bin/node', '/bin/kill'])
    for (const unit of units) {
      const started = [...(await textOf(unit)).matchAll(/^Exec\w+=[-@:+!|]*(\S+)(.*)$/gm)]
      assert.ok(started.length > 0, unit)
      for (const [line, program = ''] of started) assert.ok(programs.has(program), `${unit}: ${line}`)
    }
  })

  test('a service reads its settings from the file whose mode it checks, its secrets as credentials, and restarts only where that helps', async () => {
    for (const unit of units.filter((name) => !/@|sandboxes/.test(name))) {
      const text = await textOf(unit)
      assert.match(text, /^Environment=SERVICE_ENV_FILE=\/etc\/gatehouse\/gatehouse\.env /m, unit)
      assert.match(text, /^EnvironmentFile=-\/etc\/gatehouse\/gatehouse\.env$/m, unit)
      assert.match(
        text,
        /^LoadCredential=gatehouse(?::\/etc\/gatehouse\/credentials|-runner:\/var\/lib\/gatehouse\/state\/runner\.credential)$/m,
        unit,
      )
      assert.match(text, /^RestartPreventExitStatus=69 77 78$/m, unit)
      assert.doesNotMatch(text, /_API_KEY=|TOKEN=/, unit)
    }
  })

  test('what is made ready for sandboxes is made on the host itself, where its volume is, and nobody who waits for it is root', async () => {
    const [ready, whole] = await Promise.all([textOf('gatehouse-sandboxes.service'), textOf('gatehouse.service')])
    // What a newer systemd would give to a unit without a network, and its mounts would end with it.
    assert.match(ready, /^PrivateMounts=no$/m)
    assert.doesNotMatch(
      ready,
      /^(?:Protect(?:System|Home|Kernel\w+|ControlGroups|Proc)|PrivateTmp|PrivateDevices|ReadWritePaths|StateDirectory)=/m,
    )
    for (const text of [ready, whole]) assert.match(text, /^RequiresMountsFor=\/var\/lib\/gatehouse$/m)
    assert.match(whole, /^User=gatehouse$/m)
    assert.match(whole, /^CapabilityBoundingSet=$/m)
    assert.match(whole, /^NoNewPrivileges=yes$/m)
  })
})
