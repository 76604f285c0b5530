// Checks with Telegram who the bot is.
import type { Bot } from './bot.ts'
import { faultOf } from './faults.ts'

export interface Me {
  readonly id: number
  readonly username: string
}

/** Rejects with `ChannelFault`. */
export const identifyBot = async (bot: Bot, signal: AbortSignal): Promise<Me> => {
  try {
    const { id, username } = await bot.api(signal).getMe()
    return { id, username }
  } catch (error) {
    throw faultOf(error)
  }
}

export const accountOf = ({ username }: Me): string => `@${username}`
