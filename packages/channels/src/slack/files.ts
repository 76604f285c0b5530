// Files that came with a message, fetched when somebody who is heard sent them.
import { ServiceError } from '@gatehouse/contracts'
import { OutboundFailure } from '@gatehouse/outbound'
import type { InboundFile } from '../channel.ts'
import type { App } from './app.ts'
import type { SlackFile, SlackMessage } from './event.ts'
import { faultOf } from './faults.ts'

const gone = (): ServiceError => new ServiceError('not-found', { detail: 'Slack does not give the file' })

/** Without the permission Slack answers with its page for signing in, which is no file. */
const isPage = (response: Response): boolean => /^text\/html/i.test(response.headers.get('content-type') ?? '')

const read = async (app: App, { name, url_private_download: url }: SlackFile): Promise<Uint8Array> => {
  if (url === undefined || !URL.canParse(url)) throw gone()
  try {
    const response = await app.download(new URL(url))
    if (response.status >= 500 || response.status === 429) throw new Error(`Slack answered ${response.status}`)
    if (!response.ok || (isPage(response) && !/\.html?$/i.test(name ?? ''))) throw gone()
    return await response.bytes()
  } catch (error) {
    if (error instanceof ServiceError) throw error
    throw error instanceof OutboundFailure && error.kind !== 'proxy' ? gone() : faultOf(error)
  }
}

export const filesOf = (app: App, { files }: SlackMessage): InboundFile[] =>
  files.map((file) => ({ name: file.name ?? 'file', size: file.size, read: () => read(app, file) }))
