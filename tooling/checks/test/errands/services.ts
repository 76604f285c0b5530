// New drivers, channels and providers: each a row, an entry, and what it does in a folder of its own.
import type { Errand } from './errand.ts'

export const driver: Errand = {
  task: 'a new sandbox driver',
  most: 3,
  folder: 'packages/engine/src/chroot',
  name: [
    {
      file: 'packages/contracts/src/boot.ts',
      replace: "export const sandboxDrivers = ['oci', ",
      by: "export const sandboxDrivers = ['chroot', 'oci', ",
    },
  ],
  rest: [
    {
      file: 'packages/engine/src/chroot/detect.ts',
      create: `// Whether chroot works here: it confines too little, so it never does.
import type { Choice } from '../choice.ts'

export const detectChroot = async (): Promise<Choice> => ({ refused: 'chroot confines too little' })
`,
    },
    {
      file: 'packages/engine/src/detect.ts',
      after: "import type { Choice, ChooseOptions } from './choice.ts'\n",
      insert: "import { detectChroot } from './chroot/detect.ts'\n",
    },
    {
      file: 'packages/engine/src/detect.ts',
      after: 'const attempts: Readonly<Record<SandboxDriver, Attempt>> = {\n',
      insert: '  chroot: detectChroot,\n',
    },
  ],
  forgotten: [['packages/engine/src/detect.ts', /'chroot' is missing/]],
  shown: [['configuration.md', /--sandbox DRIVER +auto, chroot, oci, /]],
}

export const channel: Errand = {
  task: 'a new channel',
  most: 3,
  folder: 'packages/channels/src/pager',
  name: [
    {
      file: 'packages/contracts/src/channel-table.ts',
      after: 'export const channelTable = {\n',
      insert: `  pager: {
    credentials: v.strictObject({ token: Secret }),
    canonicalAddress: (text) => text,
    canonicalUser: (text) => text,
    audience: 'anyone who knows its number',
  },
`,
    },
  ],
  rest: [
    {
      file: 'packages/channels/src/pager/pager.ts',
      create: `// A channel that sends to pagers and hears nobody.
import type { ChannelCredentials } from '@gatehouse/contracts'
import type { Channel } from '../channel.ts'

export interface PagerOptions {
  readonly credentials: NonNullable<ChannelCredentials['pager']>
}

export const createPager = ({ credentials }: PagerOptions): Channel => ({
  name: 'pager',
  can: {
    threads: false,
    ids: false,
    length: credentials.token.length,
    files: { size: 0, together: false },
    pace: { perSecond: 1, burst: 1 },
    placePace: { perSecond: 1, burst: 1 },
  },
  receive: async () => {},
  send: async () => 'sent',
  verify: async () => ({}),
  close: async () => {},
})
`,
    },
    {
      file: 'packages/channels/src/table.ts',
      after: "import type { Channel } from './channel.ts'\n",
      insert: "import { createPager } from './pager/pager.ts'\n",
    },
    {
      file: 'packages/channels/src/table.ts',
      replace: '  const made: Readonly<Record<ChannelName, Channel | undefined>> = {',
      by: `  const pager = channels.pager === undefined ? undefined : createPager({ credentials: channels.pager })
  const made: Readonly<Record<ChannelName, Channel | undefined>> = { pager,`,
    },
    {
      file: 'apps/supervisor/src/plan/channels.ts',
      replace: 'const descriptors: { readonly [C in ChannelName]: Descriptor<C> } = {',
      by: `const pager = describeChannel('pager', {
  settings: { token: { group: 'Channels', type: 'string', env: 'PAGER_TOKEN', secret: true, help: 'token of a pager service' } },
  read: ({ token }) => (token === undefined ? undefined : { token }),
  secrets: ({ token }) => [token],
})

const descriptors: { readonly [C in ChannelName]: Descriptor<C> } = { pager,`,
    },
  ],
  forgotten: [
    ['packages/channels/src/table.ts', /'pager' is missing/],
    ['apps/supervisor/src/plan/channels.ts', /'pager' is missing/],
  ],
  shown: [['configuration.md', /^ {2}PAGER_TOKEN +token of a pager service \(or PAGER_TOKEN_FILE\)$/m]],
}

export const provider: Errand = {
  task: 'a new provider of models',
  most: 2,
  name: [
    {
      file: 'packages/contracts/src/models.ts',
      after: 'export const providerKeys = {\n',
      insert: "  acme: 'ACME_API_KEY',\n",
    },
  ],
  rest: [
    {
      file: 'packages/model-proxy/src/providers/table.ts',
      replace: 'const fixed = {',
      by: `const acme: Provider = { ...openai, name: 'acme', origin: 'https://models.acme.example' }

const fixed = { acme,`,
    },
  ],
  forgotten: [['packages/model-proxy/src/providers/table.ts', /acme/]],
  shown: [['configuration.md', /^ {2}ACME_API_KEY +key of the provider acme/m]],
}
