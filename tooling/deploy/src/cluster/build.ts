// Builds the programs of the cluster into a directory, out of the Go module proxy; the first time takes an hour of a slow machine:
//   node tooling/deploy/src/cluster/build.ts DIR
import { mkdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { execa } from 'execa'

const sources = join(import.meta.dirname, '../../test/fixtures/cluster')

/** Kubernetes takes its version from the linker, and Helm asks for it. */
const linkerFlags = async (): Promise<string> => {
  const [, version = ''] = /k8s\.io\/kubernetes (v\d+\.\d+\.\d+)/.exec(await readFile(join(sources, 'go.mod'), 'utf8')) ?? []
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(version) ?? []
  const said = { gitVersion: version, gitMajor: major, gitMinor: minor }
  return ['-s -w', ...Object.entries(said).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)].join(' ')
}

const [directory] = process.argv.slice(2)
if (directory === undefined) {
  process.stderr.write('cluster: expected the directory for its programs, got none\n')
  process.exit(2)
}
await mkdir(directory, { recursive: true })
await execa('go', ['build', '-p=1', '-trimpath', '-ldflags', await linkerFlags(), '-o', resolve(directory), 'tool', './...'], {
  cwd: sources,
  env: { CGO_ENABLED: '0' },
  stdio: 'inherit',
})
