-- Most events have 1 to 3 KB. Kept whole in their page they are neither compressed when they are appended nor
-- decompressed each time that they are read.
ALTER TABLE log.event SET (toast_tuple_target = 8160);
