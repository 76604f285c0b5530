// Files that came with a message, fetched when somebody who is heard sent them.
import { limits, ServiceError } from '@gatehouse/contracts'
import { OutboundFailure } from '@gatehouse/outbound'
import { GrammyError } from 'grammy/web'
import type { InboundFile } from '../channel.ts'
import type { Bot } from './bot.ts'
import { faultOf, patienceOf } from './faults.ts'
import type { TelegramFile, TelegramMessage } from './update.ts'

const gone = (): ServiceError => new ServiceError('not-found', { detail: 'Telegram does not give the file' })

/** What will be the same the next time is said so, or the message would come for ever. */
const judge = (error: unknown): Error => {
  if (error instanceof ServiceError) return error
  const isFinal = error instanceof GrammyError && error.error_code === 400 && patienceOf(error) === undefined
  const isOurs = error instanceof OutboundFailure && error.kind !== 'proxy'
  return isFinal || isOurs ? gone() : faultOf(error)
}

/** What the server says of the file, not of the moment. */
const isRefused = (status: number): boolean => status >= 400 && status < 500 && status !== 408 && status !== 429

const read = async (bot: Bot, { file_id }: TelegramFile): Promise<Uint8Array> => {
  try {
    const { file_path } = await bot.api(AbortSignal.timeout(limits.channelSendTime)).getFile(file_id)
    // A server of one's own may name a file of its own disk, which is not ours to read.
    if (file_path === undefined || file_path.startsWith('/') || file_path.includes('..')) throw gone()
    const response = await bot.download(file_path)
    if (isRefused(response.status)) throw gone()
    if (!response.ok) throw new Error(`Telegram answered ${response.status}`)
    return await response.bytes()
  } catch (error) {
    throw judge(error)
  }
}

const named = ({ document, photo, audio, video, voice }: TelegramMessage): [string, TelegramFile | undefined][] => [
  ['document', document],
  ['photo.jpg', photo?.at(-1)],
  ['audio', audio],
  ['video.mp4', video],
  ['voice.ogg', voice],
]

export const filesOf = (bot: Bot, message: TelegramMessage): InboundFile[] =>
  named(message).flatMap(([name, file]) =>
    file === undefined ? [] : [{ name: file.file_name ?? name, size: file.file_size, read: () => read(bot, file) }],
  )
