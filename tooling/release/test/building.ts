// The tarball: the same bytes whoever packs it, nothing of the builder in it, and a list of checksums that two other programs take.
import assert from 'node:assert/strict'
import { cp, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { execa } from 'execa'
import { list } from 'tar'
import { buildRelease } from '../src/index.ts'
import { architecture, type Made, makeKey, sources, tarballName, version } from './made.ts'

/** Tests of what was made. */
export const building = (given: () => Made) => () => {
  /** Checksums of all that was made. */
  const sumsOf = (folder: string): Promise<string> => readFile(join(folder, 'SHA256SUMS'), 'utf8')

  const other = async (change: (dist: string) => Promise<void>): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-release-'))
    const before = process.umask(0o077)
    try {
      const dist = join(folder, 'dist')
      await cp(sources.dist, dist, { recursive: true, filter: (path) => !path.endsWith('rootfs/bin/node') })
      await change(dist)
      await buildRelease({ ...sources, dist, out: folder, version, architecture, signingKey: null, level: 0 })
      return await sumsOf(folder)
    } finally {
      process.umask(before)
      await rm(folder, { recursive: true, force: true })
    }
  }

  test('is the same byte for byte from another folder, at another time, under another umask', async () => {
    const again = await other((dist) => utimes(join(dist, 'gateway.mjs'), 1, 1))
    assert.equal(again, await sumsOf(given().folder))
  })

  test('holds the pinned Node once, readable by root alone, and nothing that names its builder', async () => {
    const entries = new Map<string, { mode: number; uid: number; time: number }>()
    await list({
      file: join(given().folder, tarballName),
      onReadEntry: ({ path, mode, uid, mtime }) => entries.set(path, { mode: mode ?? 0, uid: uid ?? -1, time: mtime?.getTime() ?? -1 }),
    })
    const top = tarballName.replace('.tar.gz', '')
    const modeOf = (path: string): string | undefined => entries.get(`${top}/${path}`)?.mode.toString(8)
    assert.deepEqual(
      ['bin/node', 'bin/gatehouse', 'bin/svcctl', 'gatehouse.env', 'LICENSE', 'lib/rootfs/tmp/', 'lib/gateway.mjs'].map(modeOf),
      ['711', '755', '755', '600', '644', '1777', '644'],
    )
    for (const path of ['lib/svcctl/svcctl.mjs', 'lib/console/index.html', 'lib/rootfs/agent/agent.mjs', 'systemd/gatehouse.service'])
      assert.ok(entries.has(`${top}/${path}`), path)
    assert.equal(entries.has(`${top}/lib/rootfs/bin/node`), false)
    assert.deepEqual(
      [...entries.keys()].filter((path) => /built-from|compile-cache/.test(path)),
      [],
    )
    for (const { uid, time } of entries.values()) assert.deepEqual({ uid, time }, { uid: 0, time: 0 })
  })

  test('has a list of its parts: Node, what is in the bundles, shared objects with their package, and every file', async () => {
    const text = await readFile(join(given().folder, tarballName.replace('.tar.gz', '.cdx.json')), 'utf8')
    const { components } = JSON.parse(text) as { components: { name: string; purl?: string }[] }
    const purls = components.flatMap(({ purl }) => purl ?? [])
    for (const wanted of [/^pkg:generic\/node@24/, /^pkg:npm\/hono@/, /^pkg:npm\/%40journeyapps\/sqlcipher@/, /^pkg:deb\/debian\/libc6@/])
      assert.ok(
        purls.some((purl) => wanted.test(purl)),
        String(wanted),
      )
    assert.ok(components.some(({ name }) => name === 'lib/gateway.mjs'))
  })

  test('has checksums that sha256sum takes, under a signature that openssl takes', async () => {
    const cwd = given().folder
    await execa('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd })
    await writeFile(join(cwd, 'raw'), Buffer.from(await readFile(join(cwd, 'SHA256SUMS.sig'), 'utf8'), 'base64'))
    await execa('openssl', ['dgst', '-sha256', '-verify', given().key, '-signature', 'raw', 'SHA256SUMS'], { cwd })
  })

  test('is not made with a Node that nobody looked at, and not signed with a key that others cannot check', async () => {
    const options = { ...sources, out: given().folder, version: '0.0.1', architecture, signingKey: null } as const
    await assert.rejects(buildRelease({ ...options, node: join(given().folder, tarballName) }), /expected the pinned Node of/)
    const { privateKey } = makeKey()
    await assert.rejects(buildRelease({ ...options, signingKey: privateKey.slice(0, 90) }))
  })
}
