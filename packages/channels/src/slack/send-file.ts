// Sends one file: Slack names a url for it, takes the bytes there, and shows it where it is told to. What was not shown Slack forgets:
// a death before that loses nothing, and one right after it shows the file twice.
import * as v from 'valibot'
import { type Outgoing, type OutgoingFile, SendFailure } from '../channel.ts'
import type { App } from './app.ts'
import { Id } from './event.ts'
import { fileFailureOf } from './faults.ts'

const Ticket = v.object({ upload_url: v.pipe(v.string(), v.url()), file_id: Id })

export const sendFile = async (
  app: App,
  { address, thread }: Pick<Outgoing, 'address' | 'thread'>,
  { file, signal }: { readonly file: OutgoingFile; readonly signal: AbortSignal },
): Promise<'sent'> => {
  const name = file.name.toWellFormed()
  try {
    const { files } = app.asBot(signal)
    const ticket = v.safeParse(Ticket, await files.getUploadURLExternal({ filename: name, length: file.bytes.length }))
    if (!ticket.success) throw new SendFailure('later', 'Slack does not say where the file goes')
    const { upload_url: url, file_id: id } = ticket.output
    await app.upload(new URL(url), file.bytes, signal)
    const place = thread === undefined ? { channel_id: address } : { channel_id: address, thread_ts: thread }
    await files.completeUploadExternal({ files: [{ id, title: name }], ...place })
    return 'sent'
  } catch (error) {
    throw fileFailureOf(error)
  }
}
