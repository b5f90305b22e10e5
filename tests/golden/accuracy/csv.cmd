accuracy -o csv --fields model,reports,missed_ooms,false_alarms,median_error
