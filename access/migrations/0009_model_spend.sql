-- What calls to the model cost, by the day in UTC, for all processes together. A call adds what it may cost before it is
-- sent, and is corrected when it has answered; one that fails or takes too long stays counted as it was reserved.
CREATE TABLE access.model_spend (
  day date PRIMARY KEY,
  usd numeric(14, 8) NOT NULL CHECK (usd >= 0)
);
