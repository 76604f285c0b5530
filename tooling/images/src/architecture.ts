// The two architectures that images are made for, under each of their names.

export const architectures = {
  amd64: { node: 'x64', machine: 62, triplet: 'x86_64-linux-gnu' },
  arm64: { node: 'arm64', machine: 183, triplet: 'aarch64-linux-gnu' },
} as const
export type Architecture = keyof typeof architectures

export const architectureNames: readonly Architecture[] = ['amd64', 'arm64']

/** Of this machine. */
export const hostArchitecture = (): Architecture => {
  const found = architectureNames.find((name) => architectures[name].node === process.arch)
  if (found === undefined) throw new Error(`expected a machine of ${architectureNames.join(' or ')}, got ${process.arch}`)
  return found
}
