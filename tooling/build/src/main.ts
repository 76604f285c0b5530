// Builds what changed: bundles, console, the root file system of the sandboxes.
import { rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { assembleRootfs } from '@gatehouse/engine'
import { bundle, copyAddon } from './bundle.ts'
import { contentsFile, writeContents } from './contents.ts'
import { buildConsole } from './console.ts'
import { writeLaunchers } from './launchers.ts'
import { bundleSvcctl } from './svcctl.ts'
import { builtFrom, fingerprint, stampFile } from './stamp.ts'
import { dist, launchers, outputsOf, svcctl, targets } from './targets.ts'

const now = await fingerprint()
const outputs = [...targets.flatMap(outputsOf), svcctl.program, contentsFile, ...launchers.map(({ output }) => output)]
const complete = outputs.every((output) => existsSync(join(dist, output)))
if (complete && (await builtFrom()) === now) process.exit(0)

await rm(stampFile, { force: true })
const [bundled] = await Promise.all([
  Promise.all([buildConsole(), bundleSvcctl({ clean: true }), ...targets.map((target) => bundle(target))]),
  copyAddon(),
  writeLaunchers(),
])
await writeContents(bundled)
await assembleRootfs({
  target: join(dist, 'rootfs'),
  node: process.execPath,
  files: [
    { source: join(dist, 'agent.mjs'), target: '/agent/agent.mjs' },
    { source: join(dist, 'model.mjs'), target: '/agent/model.mjs' },
    { source: join(dist, 'npm-tree.mjs'), target: '/agent/npm-tree.mjs' },
    { source: join(dist, 'probe.mjs'), target: '/agent/probe.mjs' },
    { source: join(dist, 'load.mjs'), target: '/agent/load.mjs' },
  ],
})
await Promise.all([writeFile(stampFile, now), writeFile(join(dist, svcctl.stamp), now)])
