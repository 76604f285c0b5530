// The calls of channels, one line each into an act.
import type { runnerChannels } from '@gatehouse/contracts'
import type { Handlers } from '@gatehouse/rpc'
import { fileHandlers } from '../files/handlers.ts'
import type { Context } from '../sessions/context.ts'
import { buried, delivered } from './delivered.ts'
import { envelope } from './envelope.ts'
import { letters } from './letters.ts'
import { outbox } from './outbox.ts'
import { receiveFromChannel } from './receive.ts'
import { sentFile } from './sent-file.ts'

export const channelHandlers = (context: Context): Handlers<typeof runnerChannels> => {
  const { fileBegin, filePart, fileEnd, fileDrop } = fileHandlers(context)
  return {
    receive: (message) => receiveFromChannel(context, message),
    outbox: (wanted) => outbox(context, wanted),
    delivered: (word) => delivered(context, word),
    buried: (word) => buried(context, word),
    sentFile: (wanted) => sentFile(context, wanted),
    letters: (wanted) => letters(context, wanted),
    envelope: (asked) => envelope(context, asked),
    fileBegin: async (wanted, call) => {
      // Its message would be refused: then that is the word, not that the files of the group are not to be had now.
      const refusal = context.posture.refusal()
      if (refusal !== undefined) throw refusal
      return fileBegin(wanted, call)
    },
    filePart,
    fileEnd,
    fileDrop,
  }
}
