// Whether somebody listens on a socket or a port of the loopback: a socket has a name before it has ears.
import { connect } from 'node:net'

export const listens = (at: string | number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = typeof at === 'string' ? connect(at) : connect(at, '127.0.0.1')
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
