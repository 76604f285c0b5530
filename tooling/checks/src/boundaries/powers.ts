// Which modules may read the environment and the wall clock, end the process, start programs and parse JSON without bounds.
import type { Module } from './modules.ts'
import { type Use, usesIn } from './uses.ts'

const testCode = /^(?:(?:packages|apps|tooling)\/[^/]+\/test|tooling\/testkit\/src)\//

const processHolders = [
  /\/main\.ts$/,
  /\/bin\/[^/]+\.ts$/,
  /^packages\/kernel\/src\/(config|life)\//,
  /^tooling\//,
  /\.config\.ts$/,
  testCode,
]
/** `uv` resolves Python packages for a person at the command line; no service loads that package. */
const programHolders = [
  /^packages\/engine\//,
  /^packages\/python-tree\/src\/uv\.ts$/,
  /^packages\/broker\/src\/upstream\//,
  /^apps\/supervisor\//,
  /^tooling\//,
  testCode,
]

/** What the probe of the seal does, and the one program that the agent starts: both in the walls that hold them. */
const probes = /^packages\/engine\/src\/seal\/(probe|load)\.ts$/
const insideSandbox = [probes, /^apps\/agent\/src\/tools\/run-script\.ts$/]

/** The bounded parser itself, and what the unit wrote itself: rows of its encrypted databases, lines of its journal and its records. */
const jsonHolders = [
  /^packages\/kernel\/src\/json\//,
  /^packages\/gateway\/src\/(?!catalog\/load\.ts$)/,
  /^packages\/runner\/src\/queue\/delivery\.ts$/,
  /^packages\/journal\/src\//,
  /** Clients: what they read is the unit's, or their user's own, and nobody else waits for them. */
  /^packages\/client\//,
  /^apps\/(?!supervisor\/)/,
  /^tooling\//,
  testCode,
]

/** What runs in the product reads the wall clock in one place each: the processes of the host, and the browser. */
const clockHolders = [/^packages\/kernel\/src\/clock\//, /^apps\/console\/src\/clock\.ts$/, /^tooling\//, testCode]

const randomTests = /^tooling\/testkit\/src\/random\.ts$/

/** A product may be random, a test only as its seed says. */
const mayBeRandom = (path: string, { what }: Use): boolean =>
  randomTests.test(path) || (what === 'Math.random' && !testCode.test(path) && !path.startsWith('tooling/'))

const allowed = (path: string, use: Use): boolean => {
  switch (use.power) {
    case 'process':
      return probes.test(path) || processHolders.some((holder) => holder.test(path))
    case 'program':
      return programHolders.some((holder) => holder.test(path))
    case 'child-process':
      return testCode.test(path) || insideSandbox.some((inside) => inside.test(path))
    case 'json':
      return jsonHolders.some((holder) => holder.test(path))
    case 'shell':
      return false
    case 'randomness':
      return mayBeRandom(path, use)
    case 'wall-clock':
      return clockHolders.some((holder) => holder.test(path))
  }
}

const reasons: Record<Use['power'], string> = {
  process:
    'only main.ts, bin/, kernel/src/config and kernel/src/life, tooling, tests and what runs inside a sandbox read the environment and end the process',
  program: 'programs are started only in engine, broker/src/upstream, supervisor, python-tree/src/uv.ts, tooling and tests',
  'child-process': 'programs are started through execa; node:child_process only in tests',
  json: 'outside bytes are parsed by parseJson of the kernel, within bounds of contracts/bounds.ts',
  shell: 'a program is started with a list of arguments, never by a shell',
  randomness: 'tests take fc, seed and seeded from @gatehouse/testkit/random, so that a run can be repeated',
  'wall-clock':
    'measure durations and deadlines with performance.now(), which never jumps; for an instant that people read take wallMs or wallTime of kernel/src/clock (in the console: src/clock.ts)',
}

export const powerFindings = (modules: readonly Module[]): string[] =>
  modules.flatMap((module) =>
    usesIn(module)
      .filter((use) => !allowed(module.path, use))
      .map((use) => `${module.path}:${use.line}: ${use.what}: ${reasons[use.power]}`),
  )
