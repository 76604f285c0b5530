// SHA-256 of the Node binaries that a root file system may hold, as the packages `node-linux-*` bring them. A new release is added by hand.

export const nodeChecksums: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '24.21.0': {
    x64: '7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c',
    arm64: '0f8949d1028f6d61506b2d5bc57e7e6fe893d7b1997509b7847294fc9c616584',
  },
}
