// The table of channels, with the facts that every process needs. Sending and receiving is implemented by the `Channel` in the
// folder of the channel in `packages/channels/src`.
import * as v from 'valibot'
import { canonicalMailAddress, canonicalSlackID, canonicalTelegramID, canonicalURL } from './channel-spelling.ts'

interface ChannelFacts {
  /** The credentials of the channels process. Without them the unit does not have the channel. */
  readonly credentials: v.GenericSchema
  /** The canonical spelling of an address and of a person. */
  readonly canonicalAddress: (text: string) => string
  readonly canonicalUser: (text: string) => string
  /** Who can write to an address there, for approvers. */
  readonly audience: string
}

const Secret = v.pipe(v.string(), v.minLength(1))

export const channelTable = {
  slack: {
    /** `url`: base URL of the Web API, with a trailing slash. */
    credentials: v.strictObject({ botToken: Secret, appToken: Secret, url: v.string() }),
    canonicalAddress: canonicalSlackID,
    canonicalUser: canonicalSlackID,
    audience: 'anyone who can post in that channel',
  },
  telegram: {
    /** `url`: base URL of the Bot API. */
    credentials: v.strictObject({ token: Secret, url: v.string() }),
    canonicalAddress: canonicalTelegramID,
    canonicalUser: canonicalTelegramID,
    audience: 'anyone who can post in that chat',
  },
  email: {
    credentials: v.strictObject({
      /** With user and password. */
      imap: Secret,
      smtp: Secret,
      from: v.string(),
      /** The server whose `Authentication-Results` header is trusted. */
      authority: v.string(),
    }),
    canonicalAddress: canonicalMailAddress,
    canonicalUser: canonicalMailAddress,
    audience: 'anyone who can send mail to that address',
  },
  webhook: {
    /** Keys in base64. The first one signs. */
    credentials: v.strictObject({ secrets: v.pipe(v.array(Secret), v.minLength(1)) }),
    canonicalAddress: canonicalURL,
    canonicalUser: (text) => text,
    audience: 'anyone with the webhook secret',
  },
} as const satisfies Readonly<Record<string, ChannelFacts>>

export type ChannelName = keyof typeof channelTable

const isChannel = (name: string): name is ChannelName => Object.hasOwn(channelTable, name)

/** In the order of the table. */
export const channels: readonly ChannelName[] = /* @__PURE__ */ Object.keys(channelTable).filter(isChannel)
export const Channel = v.picklist(channels)

/** Credentials of each channel; one that has none is absent. */
export type ChannelCredentials = { readonly [C in ChannelName]?: v.InferOutput<(typeof channelTable)[C]['credentials']> }
export const ChannelCredentials = v.partial(
  v.strictObject(
    /* @__PURE__ */ Object.fromEntries(/* @__PURE__ */ channels.map((name) => [name, channelTable[name].credentials])) as {
      [C in ChannelName]: (typeof channelTable)[C]['credentials']
    },
  ),
)

export const canonicalAddress = (channel: ChannelName, text: string): string => channelTable[channel].canonicalAddress(text)

export const canonicalUser = (channel: ChannelName, text: string): string => channelTable[channel].canonicalUser(text)
