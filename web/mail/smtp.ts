/** Delivers mails to a mail server, and reports exactly how far each delivery came. */
import { Readable } from 'node:stream';
import { parseConnectionUrl } from 'nodemailer/lib/shared';
import SMTPConnection from 'nodemailer/lib/smtp-connection';

const TIMEOUT = 30_000;

export interface Envelope {
  readonly from: string;
  readonly to: string;
}

/**
 * `accepted`: the server has the mail. `refused`: the server rejected it, permanently or temporarily, its recipient or
 * something else of it. `unsent`: the server cannot have it, because its last line was not sent. `unknown`: the last
 * line was sent, without an answer.
 */
export type Delivery =
  | { readonly outcome: 'accepted'; readonly answer: string }
  | {
      readonly outcome: 'refused';
      readonly forGood: boolean;
      readonly ofRecipient: boolean;
      readonly answer: string;
    }
  | { readonly outcome: 'unsent' | 'unknown'; readonly answer: string };

export interface MailServer {
  /**
   * Delivers one mail; the connection stays open for the next.
   * @param lastLine awaited before the last line is sent, without which no server takes a mail. False withholds it.
   */
  deliver(envelope: Envelope, mail: Buffer, lastLine: () => Promise<boolean>): Promise<Delivery>;
  close(): void;
}

/** The mail, and its end once the last line may be sent. */
async function* guarded(mail: Buffer, lastLine: () => Promise<boolean>): AsyncGenerator<Buffer> {
  yield mail;
  if (!(await lastLine())) throw new Error('withheld');
}

const answerOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 300);

/** @param url as in SMTP_URL: `smtps://user:password@mail.example:465` */
export function mailServer(url: string): MailServer {
  const { host, port, secure, auth, ...more } = parseConnectionUrl(url);
  const options = {
    ...more,
    ...{ host, port, secure },
    connectionTimeout: TIMEOUT,
    greetingTimeout: TIMEOUT,
    socketTimeout: 2 * TIMEOUT,
  };
  let open: SMTPConnection | null = null;

  async function connected(): Promise<SMTPConnection> {
    if (open) return open;
    const connection = new SMTPConnection(options);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const gone = (): void => {
      if (open === connection) open = null;
    };
    // A connection that breaks between two mails is not an error: the next mail opens another.
    connection.on('error', (error: Error) => {
      gone();
      reject(error);
    });
    connection.once('end', gone);
    connection.connect((error) => (error ? reject(error) : resolve()));
    try {
      await promise;
      if (auth?.user !== undefined) await login(connection, { user: auth.user, pass: auth.pass ?? '' });
    } catch (error) {
      connection.close();
      throw error;
    }
    open = connection;
    return connection;
  }

  return {
    async deliver(envelope, mail, lastLine) {
      let lastLineSent = false;
      const noted = async (): Promise<boolean> => {
        const may = await lastLine();
        lastLineSent = may;
        return may;
      };
      let connection: SMTPConnection;
      try {
        connection = await connected();
      } catch (error) {
        return { outcome: 'unsent', answer: answerOf(error) };
      }
      try {
        return { outcome: 'accepted', answer: await send(connection, envelope, Readable.from(guarded(mail, noted))) };
      } catch (error) {
        connection.close();
        open = null;
        const { responseCode: code, command } = error as { responseCode?: unknown; command?: unknown };
        // An error answer to any line: the server does not have the mail.
        if (typeof code === 'number' && code >= 400)
          return {
            ...{ outcome: 'refused', forGood: code >= 500, answer: answerOf(error) },
            ofRecipient: command === 'RCPT TO',
          };
        return { outcome: lastLineSent ? 'unknown' : 'unsent', answer: answerOf(error) };
      }
    },
    close() {
      open?.quit();
      open = null;
    },
  };
}

const login = (connection: SMTPConnection, credentials: { user: string; pass: string }): Promise<void> =>
  new Promise((resolve, reject) =>
    connection.login({ credentials }, (error: Error | null | undefined) => (error ? reject(error) : resolve())),
  );

const send = (connection: SMTPConnection, { from, to }: Envelope, mail: Readable): Promise<string> =>
  new Promise((resolve, reject) =>
    connection.send({ from, to: [to] }, mail, (error, info) =>
      error ? reject(error) : resolve(String(info?.response ?? '')),
    ),
  );
