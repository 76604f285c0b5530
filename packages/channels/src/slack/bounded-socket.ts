// Slack's socket client parses each message that arrives: its structure is bounded first.
import { jsonBounds } from '@gatehouse/contracts'
import { JsonScanner } from '@gatehouse/kernel'
import { SocketModeClient } from '@slack/socket-mode'

export class BoundedSocket extends SocketModeClient {
  /** A message beyond the bounds is none of Slack's: the connection ends, and is made again after a pause. */
  protected override async onWebSocketMessage(data: string | ArrayBuffer, isBinary: boolean): Promise<void> {
    const bytes = typeof data === 'string' ? Buffer.from(data) : new Uint8Array(data)
    if (new JsonScanner(jsonBounds.channelEvent).push(bytes) === undefined) await super.onWebSocketMessage(data, isBinary)
    else await this.disconnect()
  }
}
