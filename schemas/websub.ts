/** What pollers and the API agree on about WebSub (W3C Recommendation of 23 January 2018). */

/** The path under BASE_URL that hubs call; the token of the subscription follows. */
export const WEBSUB_PATH = '/websub';

/** 256 random bits as base64url. */
export const WEBSUB_TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** A hub has this long to verify a request, in milliseconds. */
export const VERIFICATION_WINDOW = 86_400_000;
