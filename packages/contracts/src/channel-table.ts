// The table of channels: one row a channel, with what every process needs to know of it.
// How a channel receives and sends, and what it can do there, is the `Channel` that its folder in `packages/channels/src` makes.
import * as v from 'valibot'
import { canonicalMailAddress, canonicalSlackID, canonicalTelegramID, canonicalURL } from './channel-spelling.ts'

interface ChannelFacts {
  /** What the channels process needs to log in. Without it the unit does not have the channel. */
  readonly credentials: v.GenericSchema
  /** The one spelling of an address and of a person. */
  readonly canonicalAddress: (text: string) => string
  readonly canonicalUser: (text: string) => string
  /** Who can write to an address there, for approvers. */
  readonly audience: string
}

const Secret = v.pipe(v.string(), v.minLength(1))

export const channelTable = {
  slack: {
    /** `url`: of the Web API, with a slash at its end. */
    credentials: v.strictObject({ botToken: Secret, appToken: Secret, url: v.string() }),
    canonicalAddress: canonicalSlackID,
    canonicalUser: canonicalSlackID,
    audience: 'anyone who can write in that place',
  },
  telegram: {
    /** `url`: of the Bot API. */
    credentials: v.strictObject({ token: Secret, url: v.string() }),
    canonicalAddress: canonicalTelegramID,
    canonicalUser: canonicalTelegramID,
    audience: 'anyone who can write in that chat',
  },
  email: {
    credentials: v.strictObject({
      /** With user and password. */
      imap: Secret,
      smtp: Secret,
      from: v.string(),
      /** Whose word in `Authentication-Results` is believed. */
      authority: v.string(),
    }),
    canonicalAddress: canonicalMailAddress,
    canonicalUser: canonicalMailAddress,
    audience: 'anyone who can send mail there',
  },
  webhook: {
    /** Keys in base64, the one that signs first. */
    credentials: v.strictObject({ secrets: v.pipe(v.array(Secret), v.minLength(1)) }),
    canonicalAddress: canonicalURL,
    canonicalUser: (text) => text,
    audience: 'anyone who holds the secret of webhooks',
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
