/** The one inner module of kafkajs that `kafka.ts` reaches into; the package has no types for it. */
declare module 'kafkajs/src/network/requestQueue/index.js' {
  const RequestQueue: {
    prototype: { scheduleCheckPendingRequests(this: { readonly pending: readonly unknown[] }): void };
  };
  export default RequestQueue;
}
