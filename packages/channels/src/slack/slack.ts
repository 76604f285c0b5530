// The Slack channel: an app that receives by Socket Mode and sends by the Web API. Messages are rich text elements,
// so that no text mentions anyone or shows a link preview.
import { limits } from '@gatehouse/contracts'
import { KeyedQueue, type Logger } from '@gatehouse/kernel'
import * as v from 'valibot'
import { type Channel, type Outgoing, type OutgoingFile, SendFailure } from '../channel.ts'
import { type App, type AppOptions, createApp } from './app.ts'
import { offer, slackCards } from './cards.ts'
import { fileFailureOf } from './faults.ts'
import { escapeText, markupBlocks } from './markup.ts'
import { Id } from './read.ts'
import { receiveSlack } from './receive.ts'
import { accountOf, checkSocketAccess, describeMissingScope, identifyBot } from './verify.ts'

/** Slack uploads in three steps: it returns a URL, takes the bytes, and then shows the file. A crash before the last step shows nothing;
 * one right after it shows the file twice. */
const Ticket = v.object({ upload_url: v.pipe(v.string(), v.url()), file_id: Id })

const sendFile = async (
  app: App,
  { address, thread }: Pick<Outgoing, 'address' | 'thread'>,
  { file, signal }: { readonly file: OutgoingFile; readonly signal: AbortSignal },
): Promise<'sent'> => {
  const name = file.name.toWellFormed()
  try {
    const { files } = app.asBot(signal)
    const ticket = v.safeParse(Ticket, await files.getUploadURLExternal({ filename: name, length: file.bytes.length }))
    if (!ticket.success) throw new SendFailure('later', 'Slack did not return an upload URL')
    const { upload_url: url, file_id: id } = ticket.output
    await app.upload(new URL(url), file.bytes, signal)
    const place = thread === undefined ? { channel_id: address } : { channel_id: address, thread_ts: thread }
    await files.completeUploadExternal({ files: [{ id, title: name }], ...place })
    return 'sent'
  } catch (error) {
    throw fileFailureOf(error)
  }
}

const sendSlack = async (app: App, outgoing: Outgoing, signal: AbortSignal): Promise<'sent'> => {
  const { address, thread, text, blocks, files } = outgoing
  const [file] = files
  if (file !== undefined) return sendFile(app, outgoing, { file, signal })
  const message = { channel: address, mrkdwn: false, parse: 'none', link_names: false } as const
  const quiet = { unfurl_links: false, unfurl_media: false }
  const content = { text: escapeText(text), blocks: (blocks && markupBlocks(blocks)) ?? [] }
  await offer(content, ({ text: words, blocks: layout }) =>
    app.asBot(signal).chat.postMessage({
      ...message,
      ...quiet,
      text: words,
      ...(layout.length > 0 && { blocks: layout }),
      ...(thread !== undefined && { thread_ts: thread }),
    }),
  )
  return 'sent'
}

interface SlackOptions extends AppOptions {
  readonly log: Logger
}

/** Slack recommends at most 4,000 characters, and allows about one message per second and channel. */
const can: Channel['can'] = {
  threads: true,
  ids: false,
  length: 4000,
  files: { size: limits.file, together: false },
  markup: true,
  pace: { perSecond: 5, burst: 10 },
  placePace: { perSecond: 1, burst: 3 },
}

export const createSlack = ({ log, ...options }: SlackOptions): Channel => {
  const app = createApp(options)
  const cards = { app, turns: new KeyedQueue() }
  return {
    name: 'slack',
    can,
    receive: (listener) => receiveSlack({ app, log, cards }, listener),
    send: (message, signal) => sendSlack(app, message, signal),
    cards: slackCards(cards),
    verify: async (signal) => {
      const me = await identifyBot(app, signal)
      await checkSocketAccess(app, signal)
      const detail = describeMissingScope(me)
      return { account: accountOf(me), ...(detail !== undefined && { detail }) }
    },
    close: () => app.close(),
  }
}
